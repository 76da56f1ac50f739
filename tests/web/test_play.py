"""The playground: its processes against exact laws, its addresses, keys, widths and colours."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "statistical"))

from laws import SUSPICIOUS, batch_means, chi_square_p_value, p_value
from test_posterior import Tiny, events, exact_predictive
from test_tables_law import number_of_tables_law, partition_law

pytestmark = pytest.mark.xdist_group("web")

CALL = """async ([module, script, given]) => {
  const random = await import("/static/play-random.js");
  const own = await import(`/static/${module}`);
  return new Function("own", "random", "given", script)(own, random, given);
}"""


def call(page: Any, module: str, script: str, **given: Any) -> Any:
    """Run a few lines with a module of the page, called `own`, outside its content policy."""
    return page.evaluate(CALL, [module, script, given])


@pytest.fixture
def quiet(browser: Any, play: Any) -> Any:
    """The page, in a browser that would let tests evaluate what the content policy refuses."""
    url = play().url
    page = browser.new_context(bypass_csp=True).new_page()
    page.goto(url)
    yield page
    page.context.close()


# ---- the processes -----------------------------------------------------------------------------
@pytest.mark.parametrize(("discount", "strength"), [(0.0, 1.5), (0.5, 1.0), (0.8, 0.1)])
def test_tables_have_their_exact_law(quiet: Any, discount: float, strength: float) -> None:
    drawn = call(
        quiet,
        "play-restaurant.js",
        """const { d, theta } = given;
        return Array.from({ length: 8000 }, (_, i) =>
          own.seatGuests(7, d, theta, random.stream(i, "test")).sizes.sort((a, b) => a - b));""",
        d=discount,
        theta=strength,
    )
    seen = Counter(tuple(sizes) for sizes in drawn)

    def fit(d: float, theta: float) -> float:
        law = partition_law(d, theta, 7)
        return chi_square_p_value([seen[sizes] for sizes in law], np.array(list(law.values())))

    assert fit(discount, strength) > SUSPICIOUS
    assert fit(discount + 0.07, strength) < SUSPICIOUS


@pytest.mark.parametrize(("discount", "strength"), [(0.0, 1.5), (0.5, 1.0), (0.8, 0.1), (0.5, 0)])
def test_the_lines_of_theory_are_exact(quiet: Any, discount: float, strength: float) -> None:
    guests = 25
    tables, sizes, far = call(
        quiet,
        "play-restaurant.js",
        """const { n, d, theta } = given;
        const far = 1e6;
        return [own.expectedTables(n, d, theta)[n - 1], [...own.expectedSizes(n, d, theta)],
          own.expectedTables(far, d, theta)[far - 1] / own.asymptote(far, d, theta)];""",
        n=guests,
        d=discount,
        theta=strength,
    )
    law = number_of_tables_law(discount, strength, guests)
    assert tables == pytest.approx(law @ np.arange(guests + 1), rel=1e-9)
    assert sum(sizes) == pytest.approx(tables, rel=1e-9)
    assert np.dot(sizes, np.arange(guests + 1)) == pytest.approx(guests, rel=1e-9)
    assert far == pytest.approx(1.0, abs=0.06 if discount == 0 else 0.02)


def test_the_likelihood_is_the_law_of_partitions(quiet: Any) -> None:
    ratio = call(
        quiet,
        "play-restaurant.js",
        """const log = (sizes) => own.logLikelihood(sizes, 0.4, 0.7);
        return Math.exp(log([3, 1]) - log([2, 2]));""",
    )
    law = partition_law(0.4, 0.7, 4)
    # Four guests can be divided in four ways into 3 + 1, in three ways into 2 + 2.
    assert ratio == pytest.approx(law[1, 3] / 4 / (law[2, 2] / 3), rel=1e-9)


TINY = Tiny(events("0:0 0:0 0:0 0:1 1:0"), (0.5, 0.5), (0.4, 0.6), (1.0, 0.8), ((0,), (1,)))
SWEEPS = """const { text, levels, sweeps, wrong } = given;
  const franchise = new own.Franchise(["x", "y"], levels, random.stream(1, "test"));
  if (wrong) franchise.above = (context) => context === "" ? 0.5 : 1;
  for (const [context, word] of text) franchise.add(context, word);
  const rows = [];
  for (let i = 0; i < sweeps; i += 1) {
    franchise.sweep(text);
    const honest = new own.Franchise(["x", "y"], levels, null);
    honest.restaurants = franchise.restaurants;
    rows.push(["ax", "ay", "bx", "by"].map((pair) => honest.probability(pair[0], pair[1])));
  }
  for (const [context, word] of text) franchise.remove(context, word);
  return [rows, franchise.counts("").customers];"""


@pytest.mark.parametrize("wrong", [False, True])
def test_sweeps_have_the_exact_posterior(quiet: Any, wrong: bool) -> None:
    text = [["ab"[context[0]], "xy"[dish]] for context, dish in TINY.events]
    levels = [[0.4, 1.0], [0.6, 0.8]]
    rows, left = call(
        quiet, "play-franchise.js", SWEEPS, text=text, levels=levels, sweeps=8000, wrong=wrong
    )
    assert left == 0
    chain = np.array(rows)
    assert np.allclose(chain[:, :2].sum(axis=1), 1) and np.allclose(chain[:, 2:].sum(axis=1), 1)
    assert (p_value(batch_means(chain[:, ::2]), exact_predictive(TINY)[::2]) > SUSPICIOUS) != wrong


# ---- the page ----------------------------------------------------------------------------------
def test_an_address_shows_the_same_picture_again(play: Any) -> None:
    page = play()
    page.get_by_role("button", name="Ten guests").click()
    page.get_by_role("button", name="Another evening").click()
    page.get_by_role("button", name="Ten sweeps").click()
    page.get_by_label("Discount d", exact=True).fill("160")
    page.select_option("select", "a")
    assert "n=70" in page.url and "seed=2" in page.url and "sweeps=10" in page.url
    view, tables = page.inner_text("main"), page.locator(".tables").first.inner_html()
    page.reload()
    page.wait_for_selector("section .tables")
    assert page.inner_text("main") == view
    assert page.locator(".tables").first.inner_html() == tables
    assert page.get_by_label("Discount d", exact=True).input_value() == "160"


def test_an_evening_begins_the_same_however_many_come(play: Any) -> None:
    page = play(n=10)
    ten = page.text_content(".summary")
    page.get_by_role("button", name="One guest").click()
    assert "11 guests" in page.text_content(".summary")
    page.get_by_label("Guests n", exact=True).fill("0")
    assert page.text_content(".summary").startswith("1 guest at 1 table;")
    page.evaluate("location.hash = '#n=10'")
    page.wait_for_function("document.querySelector('.summary').textContent.startsWith('10 ')")
    assert page.text_content(".summary") == ten


def test_keys_do_what_buttons_do(play: Any) -> None:
    page = play(n=5)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the link that skips the header
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageUp")
    assert "16 guests" in page.text_content(".summary")
    page.keyboard.press("Space")
    page.wait_for_function("!document.querySelector('.summary').textContent.startsWith('16 ')")
    assert page.get_by_role("button", name="Stop").get_attribute("aria-pressed") == "true"
    page.keyboard.press("Space")
    assert page.get_by_role("button", name="Let guests arrive").is_visible()
    page.get_by_label("Strength θ", exact=True).focus()
    page.keyboard.press("End")
    assert "theta=20" in page.url


def test_links_of_the_lesson_set_everything_up(play: Any) -> None:
    page = play()
    links = page.locator("aside a")
    for number in range(links.count()):
        links.nth(number).click()
        page.wait_for_function(f"location.hash === '{links.nth(number).get_attribute('href')}'")
    assert "50 sweeps" in page.text_content("#live")
    assert "on average" in page.locator(".chart").last.get_attribute("aria-label")


def test_text_of_ones_own(play: Any) -> None:
    page = play(sweeps=3)
    page.fill("input[type=text]", "to be or not to be")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "document.querySelector('.restaurants').textContent.includes('after to')"
    )
    assert "sweeps" not in page.url
    rows = page.locator("tbody tr").all_text_contents()
    total = sum(float(row.split("%")[2]) for row in rows)
    assert total == pytest.approx(100, abs=0.5)
    page.fill("input[type=text]", "alone")
    page.keyboard.press("Enter")
    assert "at least two words" in page.text_content(".restaurants")


def test_bad_addresses_are_read_as_well_as_possible(play: Any) -> None:
    page = play(n=10**9, d="x", theta=-5, sweeps="many", seed="1e999", text="<b>a</b> &amp; b")
    assert page.text_content(".summary").startswith("3,000 guests at 77 tables")
    assert "after <b>a</b>" in page.text_content(".restaurants")


@pytest.mark.parametrize(("width", "scheme"), [(1000, "light"), (1000, "dark"), (360, "light")])
def test_it_fits_and_is_drawn(play: Any, shoot: Any, width: int, scheme: str) -> None:
    page = play(width=width, height=820, scheme=scheme, n=100, sweeps=20)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shoot(page, f"play-{scheme}" if width > 400 else "play-phone", of="section")


def test_a_server_without_models_shows_the_playground(play: Any) -> None:
    page = play(path="")
    assert page.title() == "Playground – Bistro"
    assert page.request.get(page.url.split("#")[0] + "api/models").json()["models"] == []
    answer = page.request.post(
        page.url.split("#")[0] + "api/read", data={"model": "x", "text": "a"}
    )
    assert answer.status == 404 and "no model" in answer.json()["error"]


def test_the_page_of_models_leads_to_it(visit: Any) -> None:
    page = visit(models=("ngram",))
    page.get_by_role("link", name="the Pitman-Yor playground").click()
    page.wait_for_selector("section .tables")
