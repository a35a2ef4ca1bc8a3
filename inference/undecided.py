"""The judge where no model is set up: it never decides, so that what needs a judge becomes a dispute for a person."""

from schemas.judge import Judgement, JudgeRequest


class UndecidedJudge:
    """Deterministic, offline, never wrong."""

    id = "undecided"

    async def judge(self, request: JudgeRequest) -> Judgement:
        """Always ``undecided``."""
        return Judgement(relation="undecided", reason="no model is set up to judge")
