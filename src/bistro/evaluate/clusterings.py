"""The distance between two clusterings of the same items, independent of cluster names.

The variation of information (Meilă 2003) is the sum of the conditional entropies of each clustering
given the other, in bits. The variation of information is a metric, and it is 0 if and only if the
clusterings are the same. The chains of a model with latent states number the states differently,
but can still be compared using the variation of information.

>>> variation_of_information([0, 0, 1, 1], [7, 7, 3, 3])
0.0
>>> variation_of_information([0, 0, 1, 1], [0, 1, 0, 1])
2.0
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.sums import added

Clusters = Sequence[int] | NDArray[np.integer]


def variation_of_information(one: Clusters, other: Clusters) -> float:
    """Return H(one | other) + H(other | one) in bits."""
    first, second = np.asarray(one), np.asarray(other)
    if first.size != second.size or not first.size:
        raise BistroError(
            "two clusterings can be compared only if they have the same items: one has "
            f"{first.size} items, and the other has {second.size}"
        )
    both = np.unique(np.stack((first, second), axis=1), axis=0, return_counts=True)[1]
    alone = [np.unique(clusters, return_counts=True)[1] for clusters in (first, second)]
    distance = 2 * entropy(both) - added(map(entropy, alone))
    return max(0.0, float(distance))


def entropy(counts: NDArray[np.int64]) -> float:
    """Return the entropy, in bits, of a distribution given as counts."""
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())
