"""What a file holds, in numbers and a few examples: enough for a preview and for every check."""

from pydantic import BaseModel

SAMPLES = 3  # outputs of each system
LONGEST_SAMPLE = 280  # characters
MOST_SYSTEMS = 20  # that are shown with samples
MOST_LINES = 5  # that are kept as examples


class Gap(BaseModel):
    """Rows that lack something: how many, and where the first ones are."""

    count: int = 0
    lines: list[int] = []


class Sample(BaseModel):
    item: str
    output: str


class SystemFacts(BaseModel):
    name: str
    n_outputs: int
    samples: list[Sample] = []


class Column(BaseModel):
    """A metric that the file holds values of.

    loose: a numeric column beside the fields that we know, used only where it is asked for by
    name.
    """

    name: str
    lacking: Gap = Gap()
    loose: bool = False

    @property
    def is_whole(self) -> bool:
        return not self.lacking.count


class Context(BaseModel):
    """What the first item has beside its outputs, to see that the fields were understood."""

    item: str = ""
    input: str = ""
    reference: str = ""
    n_paragraphs: int = 0


class Facts(BaseModel):
    """A file that was read whole and found right."""

    form: str = ""  # JSON lines, a JSON list, CSV with commas
    encoding: str = ""
    unit: str = "line"  # what the numbers of rows count
    n_rows: int = 0
    n_items: int = 0
    n_outputs: int = 0  # different texts
    n_texts: list[int] = []  # of each item, in the order of their keys; empty where all are alike
    n_references: int = 0  # items that have one
    n_empty: int = 0
    n_systems: int = 0
    is_even: bool = True  # every system has as many outputs
    systems: list[SystemFacts] = []
    first: Context = Context()
    no_reference: Gap = Gap()
    no_input: Gap = Gap()  # neither an input nor paragraphs
    no_question: Gap = Gap()  # no input, or no paragraphs
    columns: list[Column] = []
    notices: list[str] = []

    def column(self, name: str) -> Column | None:
        return next((one for one in self.columns if one.name == name), None)

    def texts_of_items(self) -> list[int]:
        """Return how many different texts each item has, in the order of the items' keys."""
        alike = [self.n_outputs // max(1, self.n_items)] * self.n_items
        return list(self.n_texts) or alike
