"""The tables. Migrations under `migrations/` build the same; a test holds the two together.

Only types that SQLite and PostgreSQL share. Structured values are JSON text written by `ocr_ui.domain.exact_json`.
The long columns stand last, so that SQLite lists rows without reading them.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcTime(TypeDecorator[datetime]):
    """A moment. Stored in UTC without a zone, so that dates group the same way on every database."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


person = Table(
    "person",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("created_at", UtcTime, nullable=False),
)

document = Table(
    "document",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("name", Text, nullable=False),
)

page = Table(
    "page",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("document_id", ForeignKey("document.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("sha256", String(64), nullable=False, index=True),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("start_s", Float),
    Column("end_s", Float),
    Column("name", Text, nullable=False),
    UniqueConstraint("document_id", "number"),
)
"""`start_s` and `end_s`: of a frame of a video, seconds from its beginning."""

recognition = Table(
    "recognition",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("page_id", ForeignKey("page.id"), nullable=False, index=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False, index=True),
    Column("engine", String(50), nullable=False),
    Column("engine_version", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("engine_name", Text, nullable=False, server_default=""),
    Column("template", Text, nullable=False),
    Column("template_version", Text, nullable=False),
    Column("task", String(50), nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("method", Text, nullable=False),
    Column("confidence", Float),
    Column("error", Text, nullable=False),
    Column("timings", Text, nullable=False),
    Column("transform", Text, nullable=False),
    Column("pixels", Text),
    Column("prompt", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("generation", Text, nullable=False),
    Column("content", Text, nullable=False),
    Index(None, "template", "created_at"),
    Index(None, "engine", "created_at"),
)

correction = Table(
    "correction",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("recognition_id", ForeignKey("recognition.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("client_key", String(200)),
    Column("edit_distance", Integer, nullable=False),
    Column("cer", Float, nullable=False),
    Column("text", Text, nullable=False),
    Column("content", Text, nullable=False),
    UniqueConstraint("recognition_id", "version"),
    UniqueConstraint("recognition_id", "client_key"),
)

review = Table(
    "review",
    metadata,
    Column("recognition_id", ForeignKey("recognition.id"), primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("updated_at", UtcTime, nullable=False, index=True),
    Column("revision", Integer, nullable=False),
    Column("latest_version", Integer, nullable=False),
    Column("correction_version", Integer, nullable=False),
    Column("second_id", Integer, nullable=False, server_default="0"),
    Column("verdict", String(20)),
    Column("state", String(20), nullable=False),
    Column("error_kinds", Text, nullable=False),
    Column("tags", Text, nullable=False),
    Column("note", Text, nullable=False),
    Index(None, "state", "updated_at"),
    Index(None, "verdict", "updated_at"),
)
"""One row a recognition from its first moment. `latest_version` is the newest correction, 0 for none; `revision`
counts the changes of the review itself; `second_id` is the newest second review, 0 for none."""

review_error = Table(
    "review_error",
    metadata,
    Column("recognition_id", ForeignKey("review.recognition_id"), primary_key=True),
    Column("kind", String(50), primary_key=True, index=True),
)

review_history = Table(
    "review_history",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("recognition_id", ForeignKey("recognition.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("client_key", String(200)),
    Column("correction_version", Integer, nullable=False),
    Column("verdict", String(20)),
    Column("state", String(20), nullable=False),
    Column("error_kinds", Text, nullable=False),
    Column("tags", Text, nullable=False),
    Column("note", Text, nullable=False),
    UniqueConstraint("recognition_id", "revision"),
    UniqueConstraint("recognition_id", "client_key"),
)

dataset_version = Table(
    "dataset_version",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("name", String(100), nullable=False, unique=True),
    Column("sha256", String(64), nullable=False),
    Column("items", Integer, nullable=False),
    Column("removed", Integer, nullable=False, server_default="0"),
    Column("licence", String(200), nullable=False),
    Column("program", String(50), nullable=False),
    Column("filters", Text, nullable=False),
)
"""A frozen filter: written once, never changed, but that items were deleted on request: `removed` of its `items`."""

dataset_item = Table(
    "dataset_item",
    metadata,
    Column("version_id", ForeignKey("dataset_version.id"), primary_key=True),
    Column("recognition_id", ForeignKey("recognition.id"), primary_key=True, index=True),
    Column("correction_version", Integer, nullable=False),
    Column("review_revision", Integer, nullable=False),
)
"""What a frozen item was: a correction (0 for none) and a row of review_history (0 for none), both of which stay."""

export_log = Table(
    "export_log",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("version_id", ForeignKey("dataset_version.id"), index=True),
    Column("created_at", UtcTime, nullable=False, index=True),
    Column("format", String(50), nullable=False),
    Column("items", Integer, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("target", Text, nullable=False),
    Column("details", Text, nullable=False),
)
"""What was handed out: `version_id` is null where it was no frozen version, `details` are filters and options."""

second_review = Table(
    "second_review",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("recognition_id", ForeignKey("recognition.id"), nullable=False),
    Column("person_id", ForeignKey("person.id"), nullable=False, index=True),
    Column("first_person_id", ForeignKey("person.id"), index=True),
    Column("first_version", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("client_key", String(200)),
    Column("blind", Boolean, nullable=False),
    Column("verdict", String(20)),
    Column("first_verdict", String(20)),
    Column("disputed", Boolean, nullable=False),
    Column("differing", Integer, nullable=False),
    Column("cer", Float, nullable=False),
    Column("box_f1", Float),
    Column("fields", Float),
    Column("resolved_at", UtcTime),
    Column("resolver_id", ForeignKey("person.id")),
    Column("resolved_version", Integer),
    Column("error_kinds", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("resolution", Text, nullable=False),
    Column("content", Text, nullable=False),
    UniqueConstraint("recognition_id", "client_key"),
)
"""The page as another person says it is; never changed but for its resolution. `cer`, `box_f1` and `fields` say how far
it agrees with the first review as that was then: `first_version`, 0 for the model's own output."""

claim = Table(
    "claim",
    metadata,
    Column("recognition_id", ForeignKey("recognition.id"), primary_key=True),
    Column("holder", String(64), nullable=False, index=True),
    Column("person_id", ForeignKey("person.id")),
    Column("until", UtcTime, nullable=False),
)
"""Who works on an item and until when; a row whose time is over counts for nothing."""

comment = Table(
    "comment",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("recognition_id", ForeignKey("recognition.id"), nullable=False),
    Column("person_id", ForeignKey("person.id")),
    Column("created_at", UtcTime, nullable=False),
    Column("client_key", String(200)),
    Column("line_id", String(200), nullable=False),
    Column("text", Text, nullable=False),
    UniqueConstraint("recognition_id", "client_key"),
)
"""`line_id` is that of a line of the page, "" for the whole page."""

guideline = Table(
    "guideline",
    metadata,
    Column("version", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id")),
    Column("created_at", UtcTime, nullable=False),
    Column("text", Text, nullable=False),
)

draft = Table(
    "draft",
    metadata,
    Column("recognition_id", ForeignKey("recognition.id"), primary_key=True),
    Column("browser", String(64), primary_key=True),
    Column("second", Boolean, primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("updated_at", UtcTime, nullable=False),
    Column("base_version", Integer, nullable=False),
    Column("body", Text, nullable=False),
)
"""Edits that are not saved yet, as the page made them."""

saved_filter = Table(
    "saved_filter",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("person_id", ForeignKey("person.id")),
    Column("updated_at", UtcTime, nullable=False),
    Column("query", Text, nullable=False),
)

work_time = Table(
    "work_time",
    metadata,
    Column("recognition_id", ForeignKey("recognition.id"), primary_key=True),
    Column("sitting", String(64), primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("updated_at", UtcTime, nullable=False, index=True),
    Column("seconds", Float, nullable=False),
)
"""Seconds of work without idle time. One row an item and sitting, so that what is reported twice counts once."""

reading_figure = Table(
    "reading_figure",
    metadata,
    Column("recognition_id", ForeignKey("recognition.id"), primary_key=True),
    Column("script", String(20), nullable=False, index=True),
    Column("disagreement", Float),
    Column("layout", String(20), nullable=False),
)
"""What is worked out of readings when it is first asked for: the writing, how far another engine read otherwise, the
kind of the page."""

rollout_job = Table(
    "rollout_job",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("state", String(20), nullable=False),
    Column("asked", Text, nullable=False),
)
"""A batch: `asked` is what was asked of each item."""

rollout_task = Table(
    "rollout_task",
    metadata,
    Column("job_id", ForeignKey("rollout_job.id"), primary_key=True),
    Column("recognition_id", ForeignKey("recognition.id"), primary_key=True, index=True),
    Column("state", String(20), nullable=False),
    Column("rollout_id", ForeignKey("rollout.id"), index=True),
    Column("error", Text, nullable=False),
)
"""One item of a batch: waiting, done or failed."""

rollout = Table(
    "rollout",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("recognition_id", ForeignKey("recognition.id"), nullable=False, index=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False, index=True),
    Column("sha256", String(64), nullable=False),
    Column("engine", String(50), nullable=False),
    Column("engine_version", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("engine_name", Text, nullable=False),
    Column("template", Text, nullable=False),
    Column("template_version", Text, nullable=False),
    Column("task", String(50), nullable=False),
    Column("asked", Integer, nullable=False),
    Column("together", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("picture_tokens", Integer, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("label_version", Integer),
    Column("label_judged", Integer),
    Column("label_tokens", Integer),
    Column("mark", String(20), nullable=False, index=True),
    Column("reward_mean", Float),
    Column("reward_std", Float),
    Column("error", Text, nullable=False),
    Column("transform", Text, nullable=False),
    Column("prompt", Text, nullable=False),
)
"""Several answers to one question. The prompt is the text as it was sent, with variables and sampling."""

rollout_answer = Table(
    "rollout_answer",
    metadata,
    Column("rollout_id", ForeignKey("rollout.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("outcome", String(20), nullable=False),
    Column("logprob_tokens", Integer),
    Column("logprob_mean", Float),
    Column("logprob_least", Float),
    Column("reward", Float),
    Column("edit_distance", Integer),
    Column("worths", Text, nullable=False),
    Column("generation", Text, nullable=False),
    Column("content", Text, nullable=False),
)
"""`generation` holds the raw answer and its count of tokens; `worths` each reward with the version of its rule."""

rollout_judgement = Table(
    "rollout_judgement",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("rollout_id", ForeignKey("rollout.id"), nullable=False),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("client_key", String(200)),
    Column("kind", String(20), nullable=False),
    Column("choice", String(20)),
    Column("winner", Integer),
    Column("loser", Integer),
    Column("blind", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("numbers", Text, nullable=False),
    UniqueConstraint("rollout_id", "client_key"),
)
"""`numbers`: the answer on the left and the one on the right, or all in order. `winner` and `loser` are of a pair."""

reread = Table(
    "reread",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("recognition_id", ForeignKey("recognition.id"), nullable=False, index=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("engine", String(50), nullable=False),
    Column("engine_version", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("engine_name", Text, nullable=False),
    Column("template", Text, nullable=False),
    Column("template_version", Text, nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("seconds", Float, nullable=False),
    Column("quad", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("lines", Text, nullable=False),
)
"""A box of an item read anew: `quad` as it was asked for, `text` the raw answer, `lines` what came of it, each under
the id that it was given in the page. Written once, never changed."""

job = Table(
    "job",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("state", String(20), nullable=False, index=True),
    Column("priority", Integer, nullable=False),
    Column("announced", Boolean, nullable=False),
    Column("name", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("asked", Text, nullable=False),
)
"""A batch of pages to read: `asked` is what is asked of each, `reason` the error that paused it, "" for none."""

job_file = Table(
    "job_file",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("job_id", ForeignKey("job.id"), nullable=False, index=True),
    Column("document_id", ForeignKey("document.id"), index=True),
    Column("size", BigInteger, nullable=False),
    Column("sha256", String(64), nullable=False, index=True),
    Column("name", Text, nullable=False),
)
"""A file that was handed in; `document_id` once a page of it is stored. `sha256` is "" where it was not taken."""

job_task = Table(
    "job_task",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("job_id", ForeignKey("job.id"), nullable=False),
    Column("file_id", ForeignKey("job_file.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", String(20), nullable=False),
    Column("holder", String(100), nullable=False),
    Column("until", UtcTime),
    Column("ended_at", UtcTime),
    Column("page_id", ForeignKey("page.id"), index=True),
    Column("recognition_id", ForeignKey("recognition.id"), index=True),
    Column("second_id", ForeignKey("recognition.id"), index=True),
    Column("start_s", Float),
    Column("end_s", Float),
    Column("seconds", Float, nullable=False),
    Column("second_seconds", Float, nullable=False),
    Column("route", String(20), nullable=False),
    Column("error", Text, nullable=False),
    UniqueConstraint("file_id", "number"),
    Index(None, "job_id", "state", "file_id", "number"),
    Index(None, "job_id", "ended_at"),
)
"""A page to read; `number` 0 is a file whose pages are not counted yet. While it is being read it is the holder's
`until`; whoever finds that time over takes it. `second_id` is a reading by another engine, `route` where it went;
`start_s` and `end_s` are of a frame of a video."""

evaluation_run = Table(
    "evaluation_run",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("kind", String(20), nullable=False),
    Column("data", Text, nullable=False),
    Column("data_sha256", String(64), nullable=False, index=True),
    Column("config", Text, nullable=False),
    Column("result", Text, nullable=False),
)
"""An evaluation or a measurement of speed: `config` is all that it depends on, `data` the name of what was read, whose
checksum says whether two runs read the same. `result` is "" until it has ended."""

evaluation_page = Table(
    "evaluation_page",
    metadata,
    Column("run_id", ForeignKey("evaluation_run.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("result", Text, nullable=False),
)
"""What each competitor made of a page."""

evaluation_reading = Table(
    "evaluation_reading",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("created_at", UtcTime, nullable=False),
    Column("reading", Text, nullable=False),
)
"""A reading under a checksum of all that it depends on: picture, template, engine with revision, sampling, settings."""

contest = Table(
    "contest",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("state", String(20), nullable=False, index=True),
    Column("asked", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("told", Text, nullable=False),
    Column("per_second", Float),
    Column("run_id", ForeignKey("evaluation_run.id"), index=True),
    Column("holder", String(100), nullable=False),
    Column("until", UtcTime),
)
"""An evaluation in the background: `asked` is the question, `reason` the error that paused it, `told` what is being
read; `run_id` its result in the log once it is done."""


account = Table(
    "account",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id"), nullable=False, unique=True),
    Column("role", String(20), nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("password", Text, nullable=False),
)
"""Who may log in. `password` is a hash (argon2); empty where a proxy says who it is."""

api_key = Table(
    "api_key",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", ForeignKey("account.id"), nullable=False, index=True),
    Column("sha256", String(64), nullable=False, unique=True),
    Column("created_at", UtcTime, nullable=False),
    Column("used_at", UtcTime),
    Column("until", UtcTime),
    Column("revoked_at", UtcTime),
    Column("name", String(200), nullable=False),
    Column("scopes", Text, nullable=False),
)
"""Keys of programs. The key itself is random and shown once; `sha256` is that of the key."""

login = Table(
    "login",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("account_id", ForeignKey("account.id"), nullable=False, index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("until", UtcTime, nullable=False, index=True),
)
"""Sessions of browsers; `sha256` is that of the cookie's random text."""

rate_hit = Table(
    "rate_hit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String(64), nullable=False, index=True),
    Column("at", UtcTime, nullable=False),
    Column("until", UtcTime, nullable=False, index=True),
)
"""What counts against a limit until then; `key` is a checksum of who did what."""

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", UtcTime, nullable=False, index=True),
    Column("name", String(200), nullable=False, index=True),
    Column("via", String(20), nullable=False),
    Column("action", String(50), nullable=False, index=True),
    Column("address", String(100), nullable=False),
    Column("target", Text, nullable=False),
    Column("details", Text, nullable=False),
)
"""Who did what when. Rows are only ever added: triggers refuse everything else."""

calibration = Table(
    "calibration",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("template", Text, nullable=False),
    Column("part", String(50), nullable=False),
    Column("engine", String(50), nullable=False),
    Column("engine_name", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("settings", Text, nullable=False),
    Column("figures", Text, nullable=False),
    Index(None, "template", "part"),
)
"""How far confidences of a template's lines, cells or fields could be trusted, of which engine under which settings."""

pixel_calibration = Table(
    "pixel_calibration",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("engine", String(50), nullable=False),
    Column("model", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("target", Float),
    Column("rule", Integer, nullable=False),
    Column("figures", Text, nullable=False),
    Index(None, "engine", "model"),
)
"""How high text must be for an engine to read it as it does with all pixels; `target` in pixels, empty for none."""

configuration = Table(
    "configuration",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("created_at", UtcTime, nullable=False),
    Column("program", String(50), nullable=False),
    Column("settings", Text, nullable=False),
)
"""Under what the program has run since when: its version, and of each engine the settings that may change a reading."""

template = Table(
    "template",
    metadata,
    Column("name", String(50), primary_key=True),
    Column("current", String(12), nullable=False),
    Column("file_sha256", String(64), nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("deleted_at", UtcTime),
    Column("tags", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
)
"""An own template, or what was said of one of the product: then `current`, the version in use, is "". `file_sha256` is
that of its file as it was last read or written."""

template_version = Table(
    "template_version",
    metadata,
    Column("name", ForeignKey("template.name"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("version", String(12), nullable=False),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("from_file", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    Column("content", Text, nullable=False),
    UniqueConstraint("name", "version"),
)
"""A version of an own template, as a file; what reaches the model is never changed."""

label_reward = Table(
    "label_reward",
    metadata,
    Column("recognition_id", ForeignKey("recognition.id"), primary_key=True),
    Column("correction_version", Integer, nullable=False),
    Column("reward", Float),
)
"""The official reward of an answer against its label, worked out when it is first asked for; null where there is none.
"""

experiment = Table(
    "experiment",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("ended_by_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("share", Float, nullable=False),
    Column("salt", String(64), nullable=False),
    Column("name", Text, nullable=False),
    Column("template", Text, nullable=False),
    Column("template_version", Text, nullable=False),
    Column("engine", Text, nullable=False),
    Column("other_template", Text, nullable=False),
    Column("other_version", Text, nullable=False),
    Column("other_engine", Text, nullable=False),
    Index(None, "template", "ended_at"),
)
"""Daily readings with `template` (A), of which a share goes to `other_template` (B). An engine is "" for the one that
is asked."""

experiment_reading = Table(
    "experiment_reading",
    metadata,
    Column("recognition_id", ForeignKey("recognition.id"), primary_key=True),
    Column("experiment_id", ForeignKey("experiment.id"), nullable=False),
    Column("arm", String(1), nullable=False),
    Column("shadow", Boolean, nullable=False),
    Column("asked_engine", Text, nullable=False),
    Index(None, "experiment_id", "arm"),
)
"""`shadow`: read for a blind comparison alone, given to nobody. `asked_engine`: what was asked for before."""

preference = Table(
    "preference",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("left_id", ForeignKey("recognition.id"), nullable=False, index=True),
    Column("right_id", ForeignKey("recognition.id"), nullable=False, index=True),
    Column("experiment_id", ForeignKey("experiment.id"), index=True),
    Column("person_id", ForeignKey("person.id"), index=True),
    Column("created_at", UtcTime, nullable=False),
    Column("client_key", String(200)),
    Column("choice", String(20), nullable=False),
    Column("blind", Boolean, nullable=False),
    Column("seconds", Float, nullable=False),
    UniqueConstraint("client_key", "left_id", "right_id"),
)
"""What somebody said of two readings of one picture. Rows are only ever added."""

last_number = Table(
    "last_number",
    metadata,
    Column("kind", String(20), primary_key=True),
    Column("number", Integer, nullable=False),
)
"""The highest number that an item, a page or a document had when items were last deleted. SQLite by itself gives the
highest numbers once more, and who still has such a number (a tab, an export, the audit log) would have another one in
hand."""
