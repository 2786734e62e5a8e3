//! True and false, which all files of a command have as the first does.

use crate::Common;
use crate::failure::Result;
use beanjar::{Column, Labels};
use beanjar_io::is_yes_or_no;
use std::collections::BTreeSet;

impl Common {
    /// Classes that are true and false, as they were first written; none if that changes nothing.
    pub(crate) fn as_first_written<S: AsRef<str>>(&self, classes: &[S]) -> Option<Vec<String>> {
        let known = || classes.iter().map(AsRef::as_ref).filter(|class: &&str| !class.is_empty());
        if known().next().is_none() || !known().all(is_yes_or_no) {
            return None;
        }
        let first = self.yes_or_no.get_or_init(|| {
            let names: BTreeSet<&str> = known().collect();
            names.into_iter().map(str::to_owned).collect()
        });
        let written = |class: &str| first.iter().find(|name| name.eq_ignore_ascii_case(class)).cloned();
        let all: Vec<String> =
            classes.iter().map(|class| written(class.as_ref()).unwrap_or_else(|| class.as_ref().to_owned())).collect();
        let changed = all.iter().zip(classes).any(|(new, old)| new != old.as_ref());
        changed.then_some(all)
    }

    /// Labels with true and false as they were first written.
    pub(crate) fn labels_as_first_written(&self, labels: Labels) -> beanjar::Result<Labels> {
        match self.as_first_written(&labels.classes.iter().collect::<Vec<_>>()) {
            Some(names) => labels.renamed(&names),
            None => Ok(labels),
        }
    }

    /// A column of classes with true and false as they were first written.
    pub(crate) fn column_as_first_written(&self, column: Column) -> Result<Column> {
        match self.as_first_written(column.values()) {
            Some(values) => Ok(Column::new(column.name(), column.ids().clone(), values)?),
            None => Ok(column),
        }
    }
}
