//! In a process of its own: it removes the unfinished outputs of other tests too.

use beanjar_io::{Output, remove_unfinished};

#[test]
fn a_program_that_is_stopped_can_clear_up() {
    let folder = tempfile::tempdir().unwrap();
    let output = Output::create(folder.path().join("a.csv"), &[]).unwrap();
    assert!(std::fs::read_dir(folder.path()).unwrap().count() <= 1);
    remove_unfinished();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    drop(output);
}
