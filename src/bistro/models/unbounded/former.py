"""The former model kind `infinite`, now replaced by the kinds `tags`, `trees` and `morphology`.

>>> settled({"task": "trees", "depth": 3, "trees": {"unknown": "single"}, "tags": {}})
('trees', {'depth': 3, 'unknown': 'single'})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bistro.errors import ConfigError, nearest

TASKS = ("tags", "trees", "morphology")


def settled(settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the model kind for a task, and its settings without the tables of other tasks."""
    task = settings.get("task", TASKS[0])
    if task not in TASKS:
        hint = nearest(str(task), TASKS)
        raise ConfigError(f"task must be one of {', '.join(TASKS)}, not '{task}'{hint}")
    shared = {name: value for name, value in settings.items() if name not in ("task", *TASKS)}
    return task, {**shared, **settings.get(task, {})}
