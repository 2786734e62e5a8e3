//! Files of judgments and labels, in and out.
//!
//! Text (CSV, TSV, JSON lines; plain, gzip or zstd) is read in blocks, which threads decode side by side and code
//! with dictionaries of their own; Parquet and Arrow come in batches and go the same way. What comes out does not
//! depend on how many threads there were.
//!
//! ```no_run
//! use beanjar::Context;
//! use beanjar_io::{Data, ReadOptions, Source};
//!
//! let read = beanjar_io::read(&Source::from("labels.csv"), &ReadOptions::default(), &Context::new())?;
//! match read.data {
//!     Data::Labels(labels) => println!("{} labels of {} tasks", labels.len(), labels.tasks.len()),
//!     Data::Judgments(judgments) => println!("{} judgments", judgments.len()),
//!     Data::Questions(questions) => println!("labels of {} questions", questions.len()),
//! }
//! # Ok::<(), beanjar_io::Error>(())
//! ```
#![warn(missing_docs)]

mod archive;
mod class_names;
mod column_roles;
mod convert;
mod error;
mod exports;
mod features;
mod format;
mod guard;
mod memory;
mod numpy;
mod output_file;
mod read;
mod spreadsheet;
mod table;
mod understood;
mod unpacking;
mod usual_names;
mod utf16;
mod write;
mod write_columnar;
mod write_sheet;

pub use class_names::{alike as class_names, is_yes_or_no};
pub use column_roles::{ColumnNames, Role};
pub use convert::{Converted, Form, Layout, convert};
pub use error::{Error, FeatureProblem, Place, Result, visible};
pub use exports::{PositionBias, write_label_studio_predictions};
pub use features::{Gaps, ReadFeatures, UnitIds, Wanted, read_features};
pub use format::{Compression, Format, Source};
pub use guard::expects_panic;
pub use memory::{Content, Memory, with_memory};
pub use output_file::{Output, remove_unfinished};
pub use read::{Data, Kind, Missing, Question, Read, ReadOptions, Wide, read};
pub use table::{Table, read_columns, read_table, read_table_with};
pub use understood::Understood;
pub use unpacking::set_unpack_limit;
pub use write::{Cell, ColumnType, CompleteTable, TableWriter, harmless, write_csv, write_rows};
