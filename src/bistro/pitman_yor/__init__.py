"""Hierarchical Pitman-Yor processes for your own data.

From observations, a process learns the distribution of outcomes in each context. Outcomes and the
elements of contexts can be any hashable objects. Contexts have a fixed depth or, in the sequence
memoizer, unlimited depth.

>>> from bistro.pitman_yor import PitmanYor
>>> process = PitmanYor(depth=1, outcomes="AB", hyper="fixed", seating="minimal")
>>> process.observe("A", "B"), process.observe("A", "B")
(-0.6931471805599453, -0.33024168687057687)
>>> process.predict("B")
{'A': 0.8125, 'B': 0.1875}
"""

from __future__ import annotations

from bistro.pitman_yor.bases import Characters
from bistro.pitman_yor.events import END
from bistro.pitman_yor.posterior import Posterior
from bistro.pitman_yor.process import PitmanYor
from bistro.pitman_yor.settings import TEXT_DISCOUNTS

__all__ = ["END", "TEXT_DISCOUNTS", "Characters", "PitmanYor", "Posterior"]
