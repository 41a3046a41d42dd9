"""The store: the database, and a data folder with the pictures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import Connection, select

from ocr_ui.settings import Settings
from ocr_ui.storage import calibrations, pixel_calibrations
from ocr_ui.storage.accounts import Accounts
from ocr_ui.storage.audit import Audit
from ocr_ui.storage.calibrations import Calibrations
from ocr_ui.storage.claims import Claims
from ocr_ui.storage.comments import Comments
from ocr_ui.storage.contests import Contests
from ocr_ui.storage.corrections import Corrections
from ocr_ui.storage.database import Database
from ocr_ui.storage.dataset_versions import DatasetVersions
from ocr_ui.storage.drafts import Drafts
from ocr_ui.storage.drift import Drift
from ocr_ui.storage.erasing import Erasing
from ocr_ui.storage.evaluations import Evaluations
from ocr_ui.storage.experiments import Experiments
from ocr_ui.storage.failures import failure, told
from ocr_ui.storage.far_pictures import open_pictures
from ocr_ui.storage.figures import Figures
from ocr_ui.storage.items import Items
from ocr_ui.storage.jobs import Jobs
from ocr_ui.storage.migrate import Schema, schema, upgrade
from ocr_ui.storage.pages import Pages
from ocr_ui.storage.pictures import Pictures
from ocr_ui.storage.pixel_calibrations import PixelCalibrations
from ocr_ui.storage.postgresql import Postgresql
from ocr_ui.storage.preferences import Preferences
from ocr_ui.storage.queues import Queues
from ocr_ui.storage.rate_hits import RateHits
from ocr_ui.storage.recognitions import Recognitions
from ocr_ui.storage.rereads import Rereads
from ocr_ui.storage.reviews import Reviews
from ocr_ui.storage.rollout_jobs import RolloutJobs
from ocr_ui.storage.rollouts import Rollouts
from ocr_ui.storage.same_text import SameText
from ocr_ui.storage.second_reviews import SecondReviews
from ocr_ui.storage.sqlite import Sqlite
from ocr_ui.storage.table_files import take_tables, write_tables
from ocr_ui.storage.templates import Templates
from ocr_ui.storage.uploads import Uploads

DATABASE = "workbench.sqlite3"
_OPEN_SECONDS, _LOOK_SECONDS = 60.0, 3.0


class Store:
    """What was read, corrected and judged. All calls block on the disk: from a coroutine use `asyncio.to_thread`.

    Attributes:
        pictures, pages, recognitions, rereads, corrections, reviews, second_reviews, claims, comments, drafts, queues,
            figures, items, same_text, versions, rollouts, rollout_jobs, jobs, evaluations, contests, calibrations,
            pixel_calibrations, templates, rate_hits, erasing, preferences, experiments, drift, uploads: the parts,
            each with its own class.
    """

    def __init__(self, database: Database, pictures: Pictures, uploads: Uploads) -> None:
        self._database = database
        self.pictures, self.uploads = pictures, uploads
        self.pages = Pages(database)
        self.recognitions = Recognitions(database)
        self.rereads = Rereads(database)
        self.corrections = Corrections(database)
        self.reviews = Reviews(database)
        self.second_reviews = SecondReviews(database)
        self.claims = Claims(database)
        self.comments = Comments(database)
        self.drafts = Drafts(database)
        self.queues = Queues(database)
        self.figures = Figures(database)
        self.items = Items(database)
        self.same_text = SameText(database)
        self.versions = DatasetVersions(database)
        self.rollouts = Rollouts(database)
        self.rollout_jobs = RolloutJobs(database)
        self.accounts = Accounts(database)
        self.audit = Audit(database)
        self.rate_hits = RateHits(database)
        self.jobs = Jobs(database)
        self.evaluations = Evaluations(database)
        self.contests = Contests(database)
        self.calibrations = Calibrations(database)
        self.pixel_calibrations = PixelCalibrations(database)
        self.templates = Templates(database)
        self.erasing = Erasing(database)
        self.preferences = Preferences(database)
        self.experiments = Experiments(database)
        self.drift = Drift(database)

    @classmethod
    def open(cls, settings: Settings, busy_seconds: float = 10.0) -> Store:
        """Opens the data folder, makes it where it is missing, and brings the schema of its database, or of the one
        that the settings name, up to date.

        Several processes may have it open; while one migrates, the others wait.

        Args:
            busy_seconds: how long a save waits for another process's save.

        Raises:
            BadInput: `bad_database_url`, `bad_pictures_url`, `store_not_installed`.
            StoreFailed: read-only, full, locked, broken, away, or made by a newer version (`store_newer`).
        """
        folder = Path(settings.data_dir).absolute()
        with told(folder):
            folder.mkdir(parents=True, exist_ok=True)
        database = _database(settings, busy_seconds)
        try:
            pictures = open_pictures(settings.pictures_url.get_secret_value(), folder)
            with told(folder), _alone(folder):
                database.prepare()
                with database.migrating() as connection:
                    upgrade(connection)
                pictures.sweep()
        except BaseException:
            database.close()
            raise
        return cls(database, pictures, Uploads(folder / "uploads"))

    @staticmethod
    def is_at(settings: Settings) -> bool:
        """Whether there is a store already: in the data folder, or a database is named."""
        return bool(settings.database_url.get_secret_value()) or (Path(settings.data_dir) / DATABASE).is_file()

    @staticmethod
    def schema(settings: Settings) -> Schema:
        """That of the database there is, as it is: nothing is changed. Raises BadInput, StoreFailed."""
        with _as_it_is(settings) as connection:
            return schema(connection)

    @staticmethod
    def measured(settings: Settings, rule: int) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        """Kind and model of the engines of which it was measured how high text must be, by the rule of this revision;
        kind and name of those of which it was measured how far their confidences can be trusted. Nothing is changed,
        and the schema has to be up to date. Raises BadInput, StoreFailed."""
        with _as_it_is(settings) as connection:
            return pixel_calibrations.engines(connection, rule), calibrations.engines(connection)

    @classmethod
    def refill(cls, settings: Settings, tables: Path, revision: str, force: bool = False) -> dict[str, int]:
        """Fills an empty store with the tables that `write_tables` wrote, all of them or none.

        Args:
            revision: of the schema that the tables are of.
            force: what the store has goes first.

        Returns:
            Names of tables with the numbers of rows.

        Raises:
            Conflict: `store_not_empty`. BadInput, StoreFailed: as `open`.
            ValueError, KeyError, TypeError: a file is not what it should be.
        """
        folder = Path(settings.data_dir).absolute()
        with told(folder):
            folder.mkdir(parents=True, exist_ok=True)
        database = _database(settings, _OPEN_SECONDS)
        try:
            with _alone(folder):
                database.prepare()
                with database.migrating() as connection:
                    return take_tables(connection, tables, revision, force)
        finally:
            database.close()

    def write_tables(self, folder: Path) -> tuple[str, dict[str, int]]:
        """Writes all tables as files; gives the schema's revision and the number of rows of each."""
        with told(folder), self._database.reading() as connection:
            counts = write_tables(connection, folder)
            return schema(connection).current or "", counts

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that this thread writes in the block is saved together, or none of it (pictures apart)."""
        with self._database.writing():
            yield

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """All that this thread reads in the block is of one moment, whatever is saved meanwhile."""
        with self._database.one_moment():
            yield

    def settle(self) -> None:
        """Moves what was written into the database's file, so that nothing that was deleted stands in its log; waits
        for those that read or write at this moment."""
        self._database.settle()

    def check(self) -> None:
        """Raises StoreFailed where the database cannot be asked anything now."""
        with self._database.snapshot() as connection:
            connection.execute(select(1))

    @contextmanager
    def alone(self, name: str) -> Iterator[bool]:
        """Whether nobody else on this store, in whatever process, is in a block of this name; inside, nobody can be.

        The block may end in another thread than it began in.
        """
        with self._database.alone(name) as is_alone:
            yield is_alone

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def _as_it_is(settings: Settings) -> Iterator[Connection]:
    """One moment of the database there is."""
    database = _database(settings, _LOOK_SECONDS)
    try:
        with database.snapshot() as connection:
            yield connection
    finally:
        database.close()


def _database(settings: Settings, busy_seconds: float) -> Database:
    address = settings.database_url.get_secret_value()
    file = Path(settings.data_dir).absolute() / DATABASE
    return Database(Postgresql(address, busy_seconds) if address else Sqlite(file, busy_seconds))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    try:
        with FileLock(folder / "opening.lock", timeout=_OPEN_SECONDS):
            yield
    except Timeout as error:
        raise failure("store_locked", folder, str(error)) from error
