"""Who may do what. The one list of actions, of roles, and the one table of what each role may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Action(StrEnum):
    """What a request does; also the scopes of API keys."""

    READ = "read"
    """See what the team has: pages that were read, corrections, figures, exports."""
    RECOGNIZE = "recognize"
    """Bring pictures in and have engines read them, alone or in batches."""
    ANNOTATE = "annotate"
    """Correct, judge, comment, claim, keep drafts."""
    REVIEW = "review"
    """Accept, settle disputes, freeze versions, write the guidelines and the templates."""
    ADMIN = "admin"
    """Accounts, the audit log, pushing data out of the house, deleting."""


class Role(StrEnum):
    VIEWER = "viewer"
    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    ADMIN = "admin"


MAY: dict[Role, frozenset[Action]] = {
    Role.VIEWER: frozenset({Action.READ}),
    Role.ANNOTATOR: frozenset({Action.READ, Action.RECOGNIZE, Action.ANNOTATE}),
    Role.REVIEWER: frozenset({Action.READ, Action.RECOGNIZE, Action.ANNOTATE, Action.REVIEW}),
    Role.ADMIN: frozenset(Action),
}


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks, and what they may do.

    Attributes:
        name: of the person; empty where nobody has logged in.
        actions: what the role, and the scopes of an API key, leave.
        account: its id, None where there is no login.
        role: of the account.
        via: how they said who they are: none, password, key or proxy.
    """

    name: str
    actions: frozenset[Action]
    account: int | None = None
    role: Role | None = None
    via: str = "none"

    @property
    def logged_in(self) -> bool:
        return self.account is not None

    def may(self, action: Action) -> bool:
        return action in self.actions


EVERYBODY = Identity("", frozenset(Action))
"""Without logins, on the command line, and for what the product does by itself."""
NOBODY = Identity("", frozenset())
"""Who has not logged in where logins are asked for."""
