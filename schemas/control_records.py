"""Every kind of record on the control log, by its ``type``: versions, and commands about who is who."""

from schemas.control import CONTROL, AuthoritySet, PolicySet, RegistrySet
from schemas.identity import IDENTITY_COMMANDS, AliasSet, AssignUnresolved, MergeEntities, SplitEntity

VersionRecord = PolicySet | AuthoritySet | RegistrySet
ControlRecord = VersionRecord | MergeEntities | SplitEntity | AliasSet | AssignUnresolved

CONTROL_TOPIC: dict[str, type[ControlRecord]] = {**CONTROL, **IDENTITY_COMMANDS}
