use std::fmt;

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of a text file, from 1.
    Line(u64),
    /// A row of a columnar file, from 1.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// What can be wrong with a file: which, where, and what to do. `file` is the name that the user gave.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system would not let us read.
    #[error("{file}: cannot be read: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// The system's reason.
        reason: String,
    },
    /// The system would not let us write.
    #[error("{file}: cannot be written: {reason}")]
    Unwritable {
        /// The file.
        file: String,
        /// The system's reason.
        reason: String,
    },
    /// No format goes with the name.
    #[error(
        "{file}: {problem}; what can be read is .csv, .tsv, .jsonl, .json (these also with .gz or .zst), .parquet, .arrow, .xlsx, .xls and .ods"
    )]
    UnknownFormat {
        /// The file.
        file: String,
        /// What about its name.
        problem: String,
    },
    /// Not a byte.
    #[error("{file}: the file is empty; it should have a header line and rows")]
    Empty {
        /// The file.
        file: String,
    },
    /// A header and nothing else.
    #[error("{file}: there is a header and not a single row after it")]
    HeaderOnly {
        /// The file, and the line of its header if it has one.
        file: String,
    },
    /// Bytes that are no text.
    #[error("{file}, byte {offset}: not UTF-8 text; save the file as UTF-8")]
    NotUtf8 {
        /// The file.
        file: String,
        /// Of the first wrong byte, from 0.
        offset: u64,
    },
    /// A row with fewer or more fields than the header.
    #[error("{file}, {place}: {found} fields where the header has {expected}; quote fields that hold a separator")]
    Ragged {
        /// The file.
        file: String,
        /// The row.
        place: Place,
        /// Fields in the header.
        expected: usize,
        /// Fields in the row.
        found: usize,
    },
    /// A quote without its end.
    #[error("{file}, {place}: a quoted field that begins in this row never ends; close the quote, or double it")]
    OpenQuote {
        /// The file.
        file: String,
        /// The row.
        place: Place,
    },
    /// A column that is needed and not there.
    #[error("{file}: no {role} column: looked for {looked_for}; found {found}")]
    MissingColumn {
        /// The file.
        file: String,
        /// What the column should hold.
        role: &'static str,
        /// The names that would have done.
        looked_for: String,
        /// The names in the file.
        found: String,
    },
    /// A column name given by the user that the file does not have.
    #[error("{file}: no column '{name}' (given as {role}); found {found}")]
    NoSuchColumn {
        /// The file.
        file: String,
        /// What the column should hold.
        role: &'static str,
        /// The name given.
        name: String,
        /// The names in the file.
        found: String,
    },
    /// Two columns of one name.
    #[error("{file}: two columns are called '{name}'; rename one")]
    DuplicateColumn {
        /// The file.
        file: String,
        /// Their name.
        name: String,
    },
    /// One column for two roles.
    #[error("{file}: the column '{name}' cannot be both the {first} and the {second}")]
    ColumnTwice {
        /// The file.
        file: String,
        /// The column.
        name: String,
        /// One role.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// Two columns whose names fit one role.
    #[error("{file}: the columns '{first}' and '{second}' could both be the {role}")]
    UnclearColumn {
        /// The file.
        file: String,
        /// The role.
        role: &'static str,
        /// One of the columns.
        first: String,
        /// Another.
        second: String,
    },
    /// A file that could hold labels as well as judgments.
    #[error("{file}: it may hold labels, in column '{label}', or judgments, in column '{value}'")]
    UnclearKind {
        /// The file.
        file: String,
        /// The column that looks like labels.
        label: String,
        /// The column that looks like values.
        value: String,
    },
    /// Columns that could be annotators as well as attributes.
    #[error("{file}: the columns {columns} hold the same few numbers, which annotators or attributes may have")]
    UnclearColumns {
        /// The file.
        file: String,
        /// The columns.
        columns: String,
    },
    /// Text where a number must be.
    #[error("{file}, {place}: '{value}' in column '{column}' is not a number")]
    NotANumber {
        /// The file.
        file: String,
        /// The row.
        place: Place,
        /// The column.
        column: String,
        /// The text.
        value: String,
        /// Whether the table has a column for each attribute.
        wide: bool,
    },
    /// A number that cannot be worked with.
    #[error("{file}, {place}: {value:e} in column '{column}' is too large; rescale the column, or correct the value")]
    TooLarge {
        /// The file.
        file: String,
        /// The row.
        place: Place,
        /// The column.
        column: String,
        /// The number.
        value: f64,
    },
    /// Numbers with a decimal comma beside numbers with a decimal point.
    #[error("{file}, {place}: a number with a decimal comma, where others have a decimal point; write all alike")]
    MixedDecimals {
        /// The file.
        file: String,
        /// The row of the first with a comma.
        place: Place,
    },
    /// JSON, a spreadsheet or an export that is no table.
    #[error("{file}: {problem}")]
    NoTable {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A line that is no JSON object of plain values.
    #[error("{file}, {place}: {problem}; each line should be one JSON object of plain values")]
    BadJson {
        /// The file.
        file: String,
        /// The line.
        place: Place,
        /// What is wrong with it.
        problem: String,
    },
    /// An object that stands twice where it may stand once.
    #[error("{file}, {place}: '{id}' has a row before this one; each may have only one")]
    RepeatedId {
        /// The file.
        file: String,
        /// The row.
        place: Place,
        /// The id.
        id: String,
    },
    /// A table with ids alone.
    #[error("{file}: no column but '{id}'; {needed}")]
    OnlyIds {
        /// The file, and where the header is.
        file: String,
        /// The column.
        id: String,
        /// What the columns after it should be.
        needed: &'static str,
    },
    /// A feature that is missing or not a number.
    #[error("{file}, {place}: the value of '{unit}' in column '{column}' is {problem}")]
    BadFeature {
        /// The file.
        file: String,
        /// The row.
        place: Place,
        /// The unit.
        unit: String,
        /// The feature.
        column: String,
        /// What is wrong with it.
        problem: FeatureProblem,
    },
    /// A compressed file that unpacks to more than it may.
    #[error("{file}: it unpacks to more than {} MB", .limit / 1_000_000)]
    GrowsTooLarge {
        /// The file.
        file: String,
        /// What it may unpack to, in bytes.
        limit: u64,
    },
    /// An output that is also an input.
    #[error("{file}: the output would overwrite an input; choose another name")]
    WouldOverwriteInput {
        /// The file.
        file: String,
    },
    /// Names of columns that are not understood.
    #[error(
        "'{0}' is not ROLE=NAME with a role of object, task, attribute, worker, value or label (a name with a comma in quotes: label=\"yes, or no\")"
    )]
    BadColumns(String),
    /// Labels where only judgments will do.
    #[error("{file}: only judgments have a form with a column for each attribute, and this file holds labels")]
    NotJudgments {
        /// The file.
        file: String,
    },
    /// An attribute that cannot be a column.
    #[error(
        "{file}: the attribute '{name}' cannot have a column of its own: such a column is taken for the {role}; rename it"
    )]
    NoColumnFor {
        /// The file.
        file: String,
        /// The attribute.
        name: String,
        /// What its column would be taken for.
        role: &'static str,
    },
    /// A line too long to be one.
    #[error("{file}, {place}: a line of more than 64 MiB; each line should be one row")]
    LongLine {
        /// The file.
        file: String,
        /// The line.
        place: Place,
    },
    /// The rows make no table.
    #[error("{file}: {source}")]
    Data {
        /// The file.
        file: String,
        /// What the library says.
        source: beanjar::Error,
    },
}

/// What is wrong with the value of a feature.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FeatureProblem {
    /// There is none.
    #[error("missing")]
    Missing,
    /// Its square would be infinite.
    #[error("{0:e}, which is too large")]
    TooLarge(f64),
    /// It has a row already.
    #[error("given twice")]
    Twice,
    /// Text, or infinite.
    #[error("'{0}', which is not a number")]
    NotANumber(String),
}

/// The result of reading or writing.
pub type Result<T> = std::result::Result<T, Error>;

/// A user's text in a message: on one line, and no longer than a line.
pub(crate) fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let cut = text.char_indices().nth(MOST).map_or(text, |(end, _)| &text[..end]);
    let escaped = visible(cut);
    if cut.len() < text.len() { escaped + "..." } else { escaped }
}

/// A text on one line of a terminal, whatever characters the user's data put in it: neither escapes nor marks that turn the
/// direction of writing or cannot be seen.
pub fn visible(text: &str) -> String {
    let unseen = |c: char| matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    let shown = |c: char| if c.is_control() || unseen(c) { c.escape_default().collect() } else { vec![c] };
    text.chars().flat_map(shown).collect()
}
