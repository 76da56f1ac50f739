"""Test suites that come with Bistro; see `bistro.decode.suite`."""
