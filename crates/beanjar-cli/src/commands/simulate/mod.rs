mod embeddings;
mod labels;

use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{count, one_line, say};
use beanjar::Column;
use beanjar::simulate::{ExpertCase, Experts, Photos, SimulatedExperts, SimulatedPhotos};
use beanjar_io::{Cell, ColumnType, CompleteTable, TableWriter};
use clap::{Args, Subcommand, ValueEnum};
use embeddings::Embeddings;
use labels::Labels;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Make data with a known truth, to try methods on.
///
/// Writes the data and the truth as files into the folder given with --out.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar simulate photos --out photos\n  beanjar simulate labels --tasks 5000 --classes 4 --spammers 0.2 --out crowd\n  beanjar simulate labels --misleading 0.2 --families 2 --contrary 1 --out panel\n  beanjar simulate experts --case ii --out experts --as parquet\n  beanjar simulate embeddings --units 1000 --unlabelled 500 --classes 8 --out embeddings"
)]
pub(crate) struct Simulate {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Judgments of photos of people: 39 attributes, calibrated to Table 1 of Sabato and Kalai (2013).
    ///
    /// Writes judgments (object,attribute,worker,value) and truth (object,height,weight; in inches and pounds).
    Photos {
        /// How many photos.
        #[arg(long, value_name = "N", default_value_t = Photos::default().objects)]
        objects: usize,
        /// How many judgments of each attribute of each photo.
        #[arg(long, value_name = "K", default_value_t = Photos::default().judgments)]
        judgments: usize,
        /// How many judges, who take turns at random.
        #[arg(long, value_name = "N", default_value_t = Photos::default().workers)]
        workers: usize,
        #[command(flatten)]
        files: Files,
    },
    /// Crowd labels: workers of different skill, some of whom err together or do not do their best, and tasks of kinds.
    ///
    /// Writes labels (task,worker,label), truth (task,label), workers (worker,accuracy,kind) and, where tasks are of kinds,
    /// tasks (task,kind,favourite). With --parts, labels/part-001 and so on: for more than memory holds.
    Labels(Box<Labels>),
    /// Units with features and three noisy experts, as in section 4.1 of Izbicki and Stern (2014).
    ///
    /// Writes features (object,x1,...), labels (task,worker,label) and truth (object,label).
    Experts {
        /// How experts err: i constantly, ii as the model says, iii by the squares of the features.
        #[arg(long, value_enum, default_value_t = CaseName::I)]
        case: CaseName,
        /// How many units.
        #[arg(long, value_name = "N", default_value_t = Experts::default().units)]
        units: usize,
        /// How many features that do not matter, beside the five that do.
        #[arg(long, value_name = "N", default_value_t = Experts::default().noise_features)]
        noise_features: usize,
        #[command(flatten)]
        files: Files,
    },
    /// Units with dense features, as a pretrained network gives, and a crowd that labels them.
    ///
    /// Writes features (object,x1,...), labels (task,worker,label) and truth (object,label).
    Embeddings(Box<Embeddings>),
}

#[derive(Args)]
struct Files {
    /// The format of the files: csv, tsv, jsonl, parquet, arrow; text also with .gz or .zst, as csv.gz.
    #[arg(long = "as", value_name = "EXT", default_value = "csv")]
    extension: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum CaseName {
    I,
    Ii,
    Iii,
}

impl Simulate {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        match &self.kind {
            Kind::Photos { objects, judgments, workers, files } => {
                let photos = Photos { objects: *objects, judgments: *judgments, workers: *workers };
                write_photos(&photos.draw(&common.context()?)?, &Folder::new(common, files)?)
            }
            Kind::Labels(labels) => labels.run(common),
            Kind::Embeddings(embeddings) => embeddings.run(common),
            Kind::Experts { case, units, noise_features, files } => {
                let case = match case {
                    CaseName::I => ExpertCase::Constant,
                    CaseName::Ii => ExpertCase::Model,
                    CaseName::Iii => ExpertCase::Squares,
                };
                let experts = Experts { units: *units, noise_features: *noise_features, case };
                write_experts(&experts.draw(&common.context()?)?, &Folder::new(common, files)?)
            }
        }
    }
}

/// Where the files go, and as what.
struct Folder {
    path: PathBuf,
    extension: String,
    quiet: bool,
    /// What is written and not named yet: a folder whose writing is cut short has the files of one draw, and not of two.
    complete: RefCell<Vec<CompleteTable>>,
}

/// Makes a folder, unless it is there.
fn make(path: &Path) -> Result<()> {
    let refused = |error| Failure::Words(format!("{}: cannot be made a folder: {error}", path.display()));
    std::fs::create_dir_all(path).map_err(refused)
}

impl Folder {
    fn new(common: &Common, files: &Files) -> Result<Folder> {
        let needs_folder = || Failure::Words("simulate: name the folder to write into, as --out FOLDER".into());
        let path = common.out.clone().ok_or_else(needs_folder)?;
        let extension = files.extension.trim_start_matches('.').to_owned();
        beanjar_io::Format::of(&PathBuf::from(format!("data.{extension}")))?;
        make(&path)?;
        Ok(Folder { path, extension, quiet: common.quiet, complete: RefCell::default() })
    }

    /// Gives all files their names. Those that are replaced go first, so that if this is stopped some may be missing, and none
    /// is of another draw.
    fn finish(&self) -> Result<()> {
        let tables = self.complete.take();
        for table in &tables {
            let path = table.path();
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Failure::Words(format!("{}: cannot be replaced: {error}", path.display())));
                }
                _ => {}
            }
        }
        for table in tables {
            let path = one_line(&table.path().display().to_string());
            let rows = table.finish()?;
            if !self.quiet {
                say(&format!("{path}: {}\n", count(rows, "row")));
            }
        }
        Ok(())
    }

    /// Writes one file, which has its name when all are written.
    fn write(
        &self,
        name: &str,
        columns: &[(&str, ColumnType)],
        fill: impl FnOnce(&mut TableWriter) -> beanjar_io::Result<()>,
    ) -> Result<()> {
        let path = self.path.join(format!("{name}.{}", self.extension));
        if name.contains('/') {
            make(path.parent().unwrap_or(&self.path))?;
        }
        let mut table = TableWriter::create(&path, columns, &[])?;
        fill(&mut table)?;
        self.complete.borrow_mut().push(table.complete()?);
        Ok(())
    }

    fn write_labels(&self, part: &str, rows: impl Iterator<Item = (String, String, String)>) -> Result<()> {
        self.write(&format!("labels{part}"), &[("task", TEXT), ("worker", TEXT), ("label", TEXT)], |table| {
            rows.map(|(task, worker, label)| [task, worker, label])
                .try_for_each(|row| table.row(&row.each_ref().map(|text| Cell::Text(text))))
        })
    }

    fn write_features(&self, names: &[String], mut rows: impl Iterator<Item = (String, Vec<f64>)>) -> Result<()> {
        let mut columns = vec![("object", TEXT)];
        columns.extend(names.iter().map(|name| (name.as_str(), NUMBER)));
        self.write("features", &columns, |table| {
            rows.try_for_each(|(unit, features)| {
                let cells = std::iter::once(Cell::Text(&unit)).chain(features.iter().map(|&x| Cell::Number(x)));
                table.row(&cells.collect::<Vec<_>>())
            })
        })
    }

    fn write_truth(&self, part: &str, id: &str, truth: &Column) -> Result<()> {
        self.write(&format!("truth{part}"), &[(id, TEXT), (truth.name(), TEXT)], |table| {
            let mut rows = truth.ids().iter().zip(truth.values());
            rows.try_for_each(|(id, label)| table.row(&[Cell::Text(id), Cell::Text(label)]))
        })
    }
}

const TEXT: ColumnType = ColumnType::Text;
const NUMBER: ColumnType = ColumnType::Number;

fn write_photos(photos: &SimulatedPhotos, folder: &Folder) -> Result<()> {
    let columns = [("object", TEXT), ("attribute", TEXT), ("worker", TEXT), ("value", NUMBER)];
    folder.write("judgments", &columns, |table| {
        photos.rows().try_for_each(|(object, attribute, worker, value)| {
            table.row(&[Cell::Text(&object), Cell::Text(attribute), Cell::Text(&worker), tenths(value)])
        })
    })?;
    folder.write("truth", &[("object", TEXT), ("height", NUMBER), ("weight", NUMBER)], |table| {
        photos.objects().zip(&photos.truth).try_for_each(|(object, [height, weight])| {
            table.row(&[Cell::Text(&object), tenths(*height), tenths(*weight)])
        })
    })?;
    folder.finish()
}

/// Nobody guesses an inch or a pound to more than a tenth.
fn tenths(value: f64) -> Cell<'static> {
    Cell::Number((value * 10.0).round() / 10.0)
}

fn write_experts(drawn: &SimulatedExperts, folder: &Folder) -> Result<()> {
    folder.write_features(&drawn.feature_names(), drawn.units().zip(drawn.features.iter().cloned()))?;
    folder.write_labels("", drawn.rows())?;
    folder.write_truth("", "object", &drawn.truth()?)?;
    folder.finish()
}
