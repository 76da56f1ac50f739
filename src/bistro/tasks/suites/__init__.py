"""Test suites that come with Bistro; see `bistro.tasks.suite`."""
