"""All services of one process, made once and handed to the page, to REST and to the command line."""

from __future__ import annotations

from dataclasses import dataclass

from ocr_ui.services.accounts import Accounts
from ocr_ui.services.admission import Admission
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.blind_pairs import BlindPairs
from ocr_ui.services.calibrate import Calibrator
from ocr_ui.services.chat import Chat
from ocr_ui.services.compare import Comparer
from ocr_ui.services.contest_runner import ContestRunner
from ocr_ui.services.contests import Contests
from ocr_ui.services.data_card import DataCards
from ocr_ui.services.dataset import Dataset
from ocr_ui.services.dataset_versions import DatasetVersions
from ocr_ui.services.drafts import Drafts
from ocr_ui.services.drift import DriftWatch
from ocr_ui.services.engines import Engines
from ocr_ui.services.erase import Eraser
from ocr_ui.services.evaluate import Evaluator
from ocr_ui.services.examples import Examples
from ocr_ui.services.experiment_pairs import ExperimentPairs
from ocr_ui.services.experiments import Experiments
from ocr_ui.services.export import Exporter
from ocr_ui.services.figures import CatchUp
from ocr_ui.services.job_runner import JobRunner
from ocr_ui.services.jobs import Jobs
from ocr_ui.services.line_history import LineHistory
from ocr_ui.services.look import Looker
from ocr_ui.services.monitor import Monitor
from ocr_ui.services.ocr import Ocr
from ocr_ui.services.page_sessions import PageSessions
from ocr_ui.services.pictures import PageStore, Upright
from ocr_ui.services.preferences import Preferences
from ocr_ui.services.push import Pusher, Pushes
from ocr_ui.services.queue import Queue
from ocr_ui.services.rates import Rates
from ocr_ui.services.recognize import Recognizer
from ocr_ui.services.reread import Rereader
from ocr_ui.services.retention import Retention
from ocr_ui.services.retries import Retries
from ocr_ui.services.rewarding import Rewarding
from ocr_ui.services.rollout_batch import RolloutBatches
from ocr_ui.services.rollouts import Rollouts
from ocr_ui.services.run_log import RunLog
from ocr_ui.services.same_mistake import SameMistakes
from ocr_ui.services.second_reviews import SecondReviewer
from ocr_ui.services.talk import Talk
from ocr_ui.services.template_files import TemplateFiles
from ocr_ui.services.template_scores import TemplateScores
from ocr_ui.services.templates import Templates, open_templates
from ocr_ui.services.thresholds import Thresholds
from ocr_ui.services.traffic import Traffic
from ocr_ui.services.tries import Tries
from ocr_ui.services.view import Views
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store


@dataclass(frozen=True, slots=True)
class Workbench:
    settings: Settings
    store: Store
    engines: Engines
    pictures: PageStore
    recognizer: Recognizer
    ocr: Ocr
    chat: Chat
    admission: Admission
    accounts: Accounts
    rates: Rates
    retention: Retention
    page_sessions: PageSessions
    retries: Retries
    rereader: Rereader
    mistakes: SameMistakes
    histories: LineHistory
    annotator: Annotator
    comparer: Comparer
    second: SecondReviewer
    queue: Queue
    talk: Talk
    drafts: Drafts
    rewarding: Rewarding
    rollouts: Rollouts
    pairs: BlindPairs
    batches: RolloutBatches
    jobs: Jobs
    runner: JobRunner
    tries: Tries
    preferences: Preferences
    experiments: Experiments
    arm_pairs: ExperimentPairs
    evaluator: Evaluator
    contests: Contests
    contest_runner: ContestRunner
    runs: RunLog
    calibrator: Calibrator
    drift: DriftWatch
    looker: Looker
    monitor: Monitor
    dataset: Dataset
    eraser: Eraser
    catch_up: CatchUp
    versions: DatasetVersions
    cards: DataCards
    exporter: Exporter
    pushes: Pushes
    templates: Templates
    template_files: TemplateFiles
    template_scores: TemplateScores
    examples: Examples
    views: Views

    @classmethod
    def open(cls, settings: Settings, engines: Engines | None = None) -> Workbench:
        """Opens the store and builds the services. `engines` replaces those that the settings name (for tests).

        Raises:
            BadInput: there is no engine of the name in the settings, no such reward file, no address of a judge or a
                webhook.
            StoreFailed: the data folder cannot be used.
        """
        engines = engines or Engines.from_settings(settings)
        store = Store.open(settings)
        templates = open_templates(settings, store)
        pages = PageStore(store, settings, Upright(engines, settings))
        annotator, dataset = Annotator(store), Dataset(store)
        retries, rewarding = Retries(store, engines, templates, settings), Rewarding(settings, annotator)
        rollouts = Rollouts(store, pages, engines, retries, annotator, rewarding, settings)
        exporter, cards = Exporter(store), DataCards(store)
        traffic, monitor = Traffic(store, templates, engines), Monitor(engines)
        recognizer = Recognizer(store, pages, engines, settings, traffic, monitor.awake)
        jobs = Jobs(store, templates, engines, settings)
        evaluator = Evaluator(store, engines, templates, settings)
        contests = Contests(store, engines, templates, settings)
        rates, thresholds = Rates(store, settings), Thresholds(store, settings)
        return cls(
            settings=settings,
            store=store,
            engines=engines,
            pictures=pages,
            recognizer=recognizer,
            ocr=Ocr(store, pages, recognizer, engines, templates, settings),
            chat=Chat(engines, settings),
            admission=Admission(settings.max_requests),
            accounts=Accounts(store, settings, rates),
            rates=rates,
            retention=Retention(store, settings.keep_pictures_days),
            page_sessions=PageSessions(),
            retries=retries,
            mistakes=SameMistakes(store, annotator),
            histories=LineHistory(store, annotator),
            rereader=Rereader(store, pages, engines, retries, templates, annotator, settings),
            annotator=annotator,
            comparer=Comparer(store, annotator),
            second=SecondReviewer(store, annotator),
            queue=Queue(store, dataset, settings),
            talk=Talk(store),
            drafts=Drafts(store),
            rewarding=rewarding,
            rollouts=rollouts,
            pairs=BlindPairs(store, rollouts),
            batches=RolloutBatches(store, rollouts),
            jobs=jobs,
            runner=JobRunner(store, jobs, pages, recognizer, engines, templates, settings, thresholds),
            tries=Tries(recognizer, templates, annotator),
            preferences=Preferences(store),
            experiments=Experiments(store, templates, engines),
            arm_pairs=ExperimentPairs(store, recognizer, traffic, templates),
            evaluator=evaluator,
            contests=contests,
            runs=RunLog(store, templates, settings),
            contest_runner=ContestRunner(store, contests, evaluator, settings),
            calibrator=Calibrator(store, thresholds),
            drift=DriftWatch(store, settings),
            looker=Looker(store, engines),
            monitor=monitor,
            dataset=dataset,
            eraser=Eraser(store),
            catch_up=CatchUp(store),
            versions=DatasetVersions(store),
            cards=cards,
            exporter=exporter,
            pushes=Pushes(Pusher(exporter, cards), settings.export_dir),
            templates=templates,
            template_files=TemplateFiles(templates),
            template_scores=TemplateScores(store),
            examples=Examples(settings),
            views=Views(settings, thresholds),
        )

    async def drained(self) -> None:
        """Takes no new pictures, gives the pages of batches back, and waits until what is being read is
        done, as long as the settings allow."""
        self.admission.stopping = True
        await self.runner.close()
        await self.contest_runner.close()
        await self.admission.drained(self.settings.drain_s, lambda: self.recognizer.at_work)

    async def close(self) -> None:
        await self.monitor.close()
        await self.retention.close()
        await self.runner.close()
        await self.contest_runner.close()
        await self.catch_up.close()
        await self.batches.close()
        await self.recognizer.close()
        await self.rollouts.close()
        await self.engines.close()
        await self.rewarding.close()
        self.store.close()
