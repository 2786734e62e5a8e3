//! Tables and texts that the calling program holds, read as files are.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use beanjar::FeatureTable;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

/// Something that the calling program holds, and the name it has in messages.
#[derive(Clone, Debug)]
pub struct Memory {
    name: String,
    content: Arc<Content>,
}

/// What a program can hold.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Content {
    /// A table, as Arrow has it.
    Table(SchemaRef, Vec<RecordBatch>),
    /// Features, for [`read_features`](crate::read_features).
    Features(FeatureTable),
    /// The text of a file, such as a model.
    Text(String),
    /// The bytes of a file that is no text.
    Bytes(Vec<u8>),
}

impl Memory {
    /// What is held, under this name.
    pub fn new(name: impl Into<String>, content: Content) -> Memory {
        Memory { name: name.into(), content: Arc::new(content) }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is held.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// What has this name in the innermost [`with_memory`].
    pub(crate) fn named(name: &Path) -> Option<Memory> {
        HELD.with_borrow(|held| held.iter().rev().find(|memory| Path::new(&memory.name) == name).cloned())
    }
}

/// The same thing, and not only an equal one.
impl PartialEq for Memory {
    fn eq(&self, other: &Memory) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.content, &other.content)
    }
}

impl Eq for Memory {}

thread_local! {
    static HELD: RefCell<Vec<Memory>> = const { RefCell::new(Vec::new()) };
}

/// Does `work`, in which a [`Source`](crate::Source) made of one of these names is what is held, and not a file. So a
/// command that takes names of files can be called with tables.
pub fn with_memory<T>(held: Vec<Memory>, work: impl FnOnce() -> T) -> T {
    /// Forgets them again, even if the work panics.
    struct Until(usize);
    impl Drop for Until {
        fn drop(&mut self) {
            HELD.with_borrow_mut(|held| held.truncate(self.0));
        }
    }
    let _until = Until(HELD.with_borrow(Vec::len));
    HELD.with_borrow_mut(|all| all.extend(held));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Data, ReadOptions, Source, read};
    use arrow_array::{ArrayRef, Int64Array, StringArray};
    use beanjar::Context;

    fn labels() -> Memory {
        let column = |values: [&str; 3]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
        let batch = RecordBatch::try_from_iter([
            ("task", Arc::new(Int64Array::from(vec![7, 7, 8])) as ArrayRef),
            ("worker", column(["a", "b", "a"])),
            ("label", column(["x", "y", "x"])),
        ])
        .unwrap();
        Memory::new("labels", Content::Table(batch.schema(), vec![batch]))
    }

    #[test]
    fn a_table_is_read_under_its_name_and_only_there() {
        let read = with_memory(vec![labels()], || {
            read(&Source::from("labels"), &ReadOptions::default(), &Context::new()).unwrap()
        });
        let Data::Labels(labels) = read.data else { panic!("these are labels") };
        assert_eq!(labels.tasks.iter().collect::<Vec<_>>(), ["7", "8"]);
        assert_eq!((labels.len(), labels.classes.len()), (3, 2));
        assert_eq!(Source::from("labels"), Source::File("labels".into()));
    }

    #[test]
    fn what_is_wrong_with_a_table_is_said_of_its_name() {
        let error = with_memory(vec![labels()], || {
            let options = ReadOptions { columns: "label=answer".parse().unwrap(), ..ReadOptions::default() };
            read(&Source::from("labels"), &options, &Context::new()).unwrap_err().to_string()
        });
        assert!(error.starts_with("labels: ") && error.contains("'answer'"), "{error}");
    }
}
