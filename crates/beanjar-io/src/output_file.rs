//! Files that appear whole or not at all.

use crate::{Error, Result, Source};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// A file in the making: its bytes go to a file that has no name until the end, where the system has such, so that nothing
/// is left behind whatever happens. Elsewhere they go to a temporary file beside it, which is removed if the end is never
/// reached; see [`remove_unfinished`] for a program that is stopped. What is there already and is not a regular file, such
/// as a pipe, is written to as it is.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    file: Target,
}

#[derive(Debug)]
enum Target {
    Unnamed(File),
    Temporary(NamedTempFile),
    Direct(File),
}

/// The temporary files of outputs that are not finished.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of outputs that are not finished: for a program that is about to be stopped.
pub fn remove_unfinished() {
    for path in unfinished().drain(..) {
        // It may be finished by now, and then is no longer there.
        let _ = std::fs::remove_file(path);
    }
}

impl Output {
    /// Begins a file, which must not be one of the `inputs`.
    pub fn create(path: impl AsRef<Path>, inputs: &[&Source]) -> Result<Output> {
        let file = path.as_ref().display().to_string();
        if is_open_already(path.as_ref()) {
            let opened = File::options().append(true).open(&path).map_err(|error| unwritable(path.as_ref(), &error))?;
            return Ok(Output { path: path.as_ref().to_owned(), file: Target::Direct(opened) });
        }
        let path = &behind_link(path.as_ref());
        if let Ok(target) = path.canonicalize() {
            let same = |input: &&&Source| matches!(input, Source::File(input) if input.canonicalize().is_ok_and(|input| input == target));
            if inputs.iter().any(|input| same(&input)) {
                return Err(Error::WouldOverwriteInput { file });
            }
            if target.is_dir() {
                return Err(Error::Unwritable { file, reason: "it is a folder; name a file in it".into() });
            }
            if !target.is_file() {
                let file = File::options().write(true).open(path).map_err(|error| unwritable(path, &error))?;
                return Ok(Output { path: path.to_owned(), file: Target::Direct(file) });
            }
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        if let Some(unnamed) = unnamed(folder) {
            return Ok(Output { path: path.to_owned(), file: Target::Unnamed(unnamed) });
        }
        let mut builder = tempfile::Builder::new();
        // As for any other new file, the user's mask decides who may read it.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary = builder.prefix(".beanjar-").tempfile_in(folder).map_err(|error| unwritable(path, &error))?;
        unfinished().push(temporary.path().to_owned());
        Ok(Output { path: path.to_owned(), file: Target::Temporary(temporary) })
    }

    /// Writes all of a text.
    pub fn write_text(&mut self, text: &str) -> Result<()> {
        self.write_all(text.as_bytes()).map_err(|error| unwritable(&self.path, &error))
    }

    /// Writes what `write` writes, piece by piece.
    pub fn write_with(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let mut buffer = io::BufWriter::with_capacity(1 << 16, &mut *self);
        let written = write(&mut buffer).and_then(|()| buffer.flush());
        drop(buffer);
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// The open file, once more.
    pub(crate) fn handle(&self) -> io::Result<File> {
        match &self.file {
            Target::Temporary(file) => file.as_file().try_clone(),
            Target::Unnamed(file) | Target::Direct(file) => file.try_clone(),
        }
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<()> {
        let Output { path, file } = self;
        let secure = |file: &File| {
            // Who may read a file that is replaced does not change.
            if let Ok(metadata) = std::fs::metadata(&path) {
                let _ = file.set_permissions(metadata.permissions());
            }
            // Whole on the disk before it has its name, so that a loss of power leaves the old file or the new.
            let _ = file.sync_all();
        };
        match file {
            Target::Direct(_) => Ok(()),
            Target::Unnamed(file) => {
                secure(&file);
                give_name(&file, &path).map_err(|error| unwritable(&path, &error))
            }
            Target::Temporary(file) => {
                let temporary = file.path().to_owned();
                secure(file.as_file());
                let done = file.persist(&path).map(drop).map_err(|error| unwritable(&path, &error.error));
                unfinished().retain(|path| *path != temporary);
                done
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Target::Temporary(file) => file.as_file_mut().write(bytes),
            Target::Unnamed(file) | Target::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Target::Temporary(file) => file.as_file_mut().flush(),
            Target::Unnamed(file) | Target::Direct(file) => file.flush(),
        }
    }
}

/// Whether a path names a file that the process was given open, such as /dev/stdout. It is added to, and never replaced.
fn is_open_already(path: &Path) -> bool {
    let folders = ["/dev/fd", "/proc/self/fd"].map(Path::new);
    [Path::new("/dev/stdout"), Path::new("/dev/stderr")].contains(&path)
        || path.parent().is_some_and(|folder| folders.contains(&folder))
}

/// What a link leads to is replaced, not the link, be it there already or not.
fn behind_link(path: &Path) -> PathBuf {
    let missing = || Some(path.parent()?.join(std::fs::read_link(path).ok()?));
    path.canonicalize().ok().or_else(missing).unwrap_or_else(|| path.to_owned())
}

/// A file without a name in this folder, if the system has such.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::TMPFILE.bits() as i32;
    File::options().read(true).write(true).mode(0o666).custom_flags(flags).open(folder).ok()
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<File> {
    None
}

/// Gives a file without a name its name, in place of a file that has it.
#[cfg(target_os = "linux")]
fn give_name(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let number = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |name: &Path| linkat(CWD, &number, CWD, name, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from);
    match link(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        done => return done,
    }
    // Only a file with a name can take that of another.
    for attempt in 0..100 {
        let name = format!(".beanjar-{}-{attempt}", std::process::id());
        let beside = path.with_file_name(name);
        match link(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
            Ok(()) => {}
        }
        let renamed = std::fs::rename(&beside, path);
        if renamed.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        return renamed;
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(not(target_os = "linux"))]
fn give_name(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Error {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "its folder does not exist".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    };
    Error::Unwritable { file: path.display().to_string(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_file_that_is_replaced_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.csv");
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let mut output = Output::create(&path, &[]).unwrap();
        output.write_text("new").unwrap();
        output.finish().unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    #[cfg(unix)]
    fn what_a_link_leads_to_is_replaced_and_not_the_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file.csv"), folder.path().join("link.csv"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let mut output = Output::create(&link, &[]).unwrap();
        output.write_text("new").unwrap();
        output.finish().unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        std::fs::remove_file(&file).unwrap();
        let mut output = Output::create(&link, &[]).unwrap();
        output.write_text("newer").unwrap();
        output.finish().unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "newer");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_in_the_making_has_no_name() {
        let folder = tempfile::tempdir_in(".").unwrap();
        let mut output = Output::create(folder.path().join("a.csv"), &[]).unwrap();
        output.write_text("all of it").unwrap();
        // A file system that cannot do it has a temporary file instead.
        if matches!(output.file, Target::Unnamed(_)) {
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        output.finish().unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("a.csv")).unwrap(), "all of it");
    }
}
