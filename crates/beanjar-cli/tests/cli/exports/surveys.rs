//! Surveys, with a row for each respondent and a column for each task.

use super::{ANSWERS, folder, same_as_long, tasks};

/// What a worker answered, task by task.
fn row(worker: &str) -> String {
    let own = ANSWERS.iter().filter(|(_, other, _)| *other == worker);
    own.map(|(_, _, label)| format!(",{label}")).collect()
}

fn header() -> String {
    tasks().map(|(task, _)| format!(",{task}")).collect()
}

/// A survey of Qualtrics: names of columns, questions over several lines, ids; then a preview and three respondents.
fn qualtrics() -> String {
    let about = "StartDate,EndDate,Status,IPAddress,Progress,Duration (in seconds),Finished,RecordedDate,ResponseId";
    let mut text = format!("{about},consent{},t1_Page Submit,age,remarks\n", header());
    let questions: String = tasks().map(|(task, _)| format!(",\"What is this?\n\nPicture {task}\"")).collect();
    text += &format!(
        "Start Date,End Date,Response Type,IP Address,Progress,Duration (in seconds),Finished,Recorded Date,Response ID,\
         Do you agree?{questions},Timing - Page Submit,How old are you?,Anything else?\n"
    );
    let id = |id: &str| format!("\"{{\"\"ImportId\"\":\"\"{id}\"\"}}\"");
    let about = ["startDate", "endDate", "status", "ipAddress", "progress", "duration", "finished", "recordedDate"];
    let ids = about.iter().copied().chain(["_recordId", "QID9", "QID1", "QID2", "QID3_1", "2_QID4"]);
    let ids: Vec<String> = ids.chain(["QID5_PAGE_SUBMIT", "QID6", "QID7_TEXT"]).map(id).collect();
    text += &format!("{}\n", ids.join(","));
    let when = "2024-05-01 10:00:00,2024-05-01 10:09:00";
    text += &format!("{when},Survey Preview,,100,9,True,2024-05-01,R_0,Yes,dog,cat,dog,cat,1.5,99,a try\n");
    for (worker, rest) in [("ann", "2.5,31,"), ("bob", "3.5,44,none"), ("cy", "4.5,27,I liked the dogs")] {
        text += &format!("{when},IP Address,1.2.3.4,100,540,True,2024-05-01,{worker},Yes{},{rest}\n", row(worker));
    }
    text
}

#[test]
fn qualtrics_is_known_by_its_ids() {
    let folder = folder();
    let line = "export of Qualtrics; ResponseId=worker; tasks: t1, t2, t3, t4; ignored: StartDate, EndDate";
    folder.write("q.csv", qualtrics());
    same_as_long(&folder, "q.csv", line);
    assert!(folder.run(&["inspect", "q.csv"]).err.contains("1 preview left out"));
    // Its tables between tabs are UTF-16.
    let tabs: String = qualtrics()
        .split('"')
        .enumerate()
        .map(|(part, text)| if part % 2 == 0 { text.replace(',', "\t") } else { text.to_owned() })
        .collect::<Vec<_>>()
        .join("\"");
    let bytes: Vec<u8> = std::iter::once(0xfeff).chain(tabs.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    folder.write("q.tsv", bytes);
    same_as_long(&folder, "q.tsv", line);
    // The numbers of choices are classes too.
    let numbers = |text: String| text.replace("cat", "1").replace("dog", "2");
    let answers = qualtrics();
    let (above, below) = answers.split_at(answers.find("2024-05").expect("answers"));
    folder.write("codes.csv", above.to_owned() + &numbers(below.replace("the dogs", "it")));
    folder.write("codes-long.csv", numbers(folder.read("long.csv")));
    assert_eq!(folder.json(&["inspect", "codes.csv"]), folder.json(&["inspect", "codes-long.csv"]));
    // Its workbooks have the questions, and no ids.
    let rows: Vec<&str> = answers.split("\n").collect();
    let ids = rows.iter().position(|row| row.contains("ImportId")).expect("ids");
    folder.write("q2.csv", [&rows[..ids], &rows[ids + 1..]].concat().join("\n"));
    same_as_long(&folder, "q2.csv", line);
    // Questions that have no answer in common are no tasks, unless the user says so.
    let differ = "Q1,Q2,ResponseId\nWho?,What?,Response ID\n\"{\"\"ImportId\"\":\"\"QID1\"\"}\",\"{\"\"ImportId\"\":\"\"QID2\"\"}\",\"{\"\"ImportId\"\":\"\"_recordId\"\"}\"\nme,yes,R_1\nyou,no,R_2\n";
    folder.write("differ.csv", differ);
    let error = folder.error(&["inspect", "differ.csv"]);
    assert!(error.contains("differ.csv: a survey of Qualtrics") && error.contains("--wide tasks"), "{error}");
    assert_eq!(folder.json(&["inspect", "differ.csv", "--wide", "tasks"])["tasks"], 2);
}

#[test]
fn a_form_is_known_by_its_first_column_and_the_same_few_answers() {
    let folder = folder();
    let form = |name: &str, beside: &str, cell: &str| {
        let mut text = format!("Timestamp,{name}{}{beside}\n", header());
        for (minute, worker) in ["ann", "bob", "cy"].into_iter().enumerate() {
            text += &format!("5/1/2024 10:0{minute}:00,{worker}{}{cell}\n", row(worker));
        }
        text
    };
    for name in ["Email Address", "Username", "What is your name?", "Annotator", "Code from the letter"] {
        folder.write("form.csv", form(name, "", ""));
        let shown = if name.contains(' ') { format!("'{name}'") } else { name.to_owned() };
        let line = format!("export of Google Forms; {shown}=worker; tasks: t1, t2, t3, t4; ignored: Timestamp");
        same_as_long(&folder, "form.csv", &line);
    }
    folder.write("form.csv", form("Email Address", ",Age,Comments", ",31,nothing to say"));
    assert!(folder.run(&["inspect", "form.csv"]).err.contains("ignored: Timestamp, Age, Comments"));
    assert_eq!(folder.json(&["inspect", "form.csv"]), folder.json(&["inspect", "long.csv"]));
    let found = folder.json(&["inspect", "form.csv", "--columns", "worker=Timestamp"]);
    assert_eq!(found["alpha"], folder.json(&["inspect", "long.csv"])["alpha"]);
    assert!(folder.run(&["convert", "form.csv", "by.csv", "--columns", "worker=Timestamp"]).code == 0);
    assert!(folder.read("by.csv").starts_with("task,worker,label\nt1,5/1/2024 10:00:00,cat\n"));
    // One question asked again and again, of nobody in particular.
    let again = "Timestamp,Cat or dog?,Cat or dog?\n1/5/24 10:00,cat,dog\n1/5/24 10:01,cat,cat\n1/5/24 10:02,dog,dog\n";
    folder.write("again.csv", again);
    let err = folder.run(&["inspect", "again.csv"]).err;
    assert!(err.contains("Timestamp=worker; tasks: 'Cat or dog?', 'Cat or dog? (2)'"), "{err}");
    // A row for each task is no survey, and has to be named.
    folder.write(
        "rows.csv",
        "Timestamp,Email Address,Which item?,Your label\n1/5/24 10:00,a@b,r1,yes\n1/5/24 10:01,c@d,r1,no\n",
    );
    let error = folder.error(&["inspect", "rows.csv"]);
    assert!(error.contains("a survey of Google Forms") && error.contains("--columns task=NAME"), "{error}");
    let columns = "task=Which item?,worker=Email Address,label=Your label";
    assert_eq!(folder.json(&["inspect", "rows.csv", "--columns", columns])["tasks"], 1);
    // Places in a film are tasks, and people label them.
    folder.write("film.csv", "timestamp,ann,bob\n00:01,cat,dog\n00:02,cat,cat\n00:03,dog,dog\n");
    folder.write("frames.csv", "timestamp,rater_1,rater_2\n1/5/24 10:01,cat,dog\n1/5/24 10:02,cat,cat\n");
    for name in ["film.csv", "frames.csv"] {
        let err = folder.run(&["inspect", name]).err;
        assert!(err.contains("timestamp=task; annotators: "), "{err}");
    }
    folder.write("long.csv", "Timestamp,task,worker,label,note\n2024,1,a,x,n\n2024,1,b,x,n\n");
    assert_eq!(folder.json(&["inspect", "long.csv"])["tasks"], 1);
}

#[test]
fn survey_monkey_explains_its_columns_in_a_second_row() {
    let folder = folder();
    let about =
        "Respondent ID,Collector ID,Start Date,End Date,IP Address,Email Address,First Name,Last Name,Custom Data 1";
    let mut text = format!("{about},What do you see?,,,,Remarks\n,,,,,,,,{},Open-Ended Response\n", header());
    for worker in ["ann", "bob", "cy"] {
        text += &format!("{worker},4,05/01/2024,05/01/2024,1.2.3.4,,,,{},fine by {worker}\n", row(worker));
    }
    folder.write("monkey.csv", text);
    same_as_long(
        &folder,
        "monkey.csv",
        "export of SurveyMonkey; 'Respondent ID'=worker; tasks: t1, t2, t3, t4; ignored:",
    );
}

#[test]
fn microsoft_forms_has_numbers_and_times_of_answers() {
    let folder = folder();
    let form = |email: [&str; 3], name: [&str; 3], id: [&str; 3]| {
        let mut text = format!("ID,Start time,Completion time,Email,Name,Last modified time{}\n", header());
        for (at, worker) in ["ann", "bob", "cy"].into_iter().enumerate() {
            let (email, name, id) = (email[at], name[at], id[at]);
            text += &format!("{id},5/1/24 10:00:00,5/1/24 10:09:00,{email},{name},{}\n", row(worker));
        }
        text
    };
    let (workers, nobody, numbers) = (["ann", "bob", "cy"], ["anonymous"; 3], ["1", "2", "3"]);
    folder.write("named.csv", form(workers, ["Ann", "Bob", "Cy"], numbers));
    let line = "export of Microsoft Forms; Email=worker; tasks: t1, t2, t3, t4; ignored: ID,";
    same_as_long(&folder, "named.csv", line);
    folder.write("nameless.csv", form(nobody, [""; 3], workers));
    same_as_long(&folder, "nameless.csv", "export of Microsoft Forms; ID=worker; tasks: t1, t2, t3, t4; ignored:");
}

#[test]
fn any_table_may_have_a_column_for_each_task() {
    let folder = folder();
    let mut text = format!("who{}\n", header());
    for worker in ["ann", "bob", "cy"] {
        text += &format!("{worker}{}\n", row(worker));
    }
    folder.write("wide.csv", &text);
    for command in ["inspect", "aggregate"] {
        let found = folder.json(&[command, "wide.csv", "--wide", "tasks"]);
        assert_eq!(found, folder.json(&[command, "long.csv"]));
    }
    let err = folder.run(&["inspect", "wide.csv", "--wide", "tasks"]).err;
    assert!(err.starts_with("read wide.csv: who=worker; tasks: t1, t2, t3, t4\n"), "{err}");
    let run = folder.run(&["convert", "wide.csv", "back.csv", "--wide", "tasks"]);
    assert_eq!((run.code, folder.read("back.csv")), (0, folder.read("long.csv")), "{}", run.err);
    // Numbers on a scale are judgments.
    let scale: String = (0..30).map(|i| format!("w{i},{}.5,{}.25\n", i, 30 - i)).collect();
    folder.write("scale.csv", format!("participant,photo 1,photo 2\n{scale}"));
    let found = folder.json(&["inspect", "scale.csv", "--wide", "tasks"]);
    assert_eq!((&found["objects"], &found["judgments"]), (&2.into(), &60.into()));
    // With workers, and nothing that they judged, there is no other way to read it.
    folder.write("workers.csv", text.replace("who", "rater_id"));
    same_as_long(&folder, "workers.csv", "rater_id=worker; tasks: t1, t2, t3, t4");
    folder.write("codes.csv", text.replace("cat", "1").replace("dog", "2"));
    let error = folder.error(&["inspect", "codes.csv"]);
    assert!(error.contains("or --wide tasks if each row is a worker"), "{error}");
    let error = folder.error(&["inspect", "long.csv", "--wide", "tasks"]);
    assert!(error.contains("of tasks in column 'task'; leave --wide tasks out"), "{error}");
    let error = folder.error(&["inspect", "wide.csv", "--wide", "tasks", "--columns", "worker=nobody"]);
    assert!(error.contains("wide.csv") && error.contains("nobody"), "{error}");
}

#[test]
fn a_column_for_each_annotator_becomes_rows_when_it_is_converted() {
    let folder = folder();
    let mut text = "task,ann,bob,cy\n".to_owned();
    for (task, answers) in tasks() {
        let cells: String = answers.iter().map(|(_, _, label)| format!(",{label}")).collect();
        text += &format!("{task}{cells}\n");
    }
    folder.write("wide.csv", text);
    for flags in [["--wide", "annotators"], ["--form", "long"]] {
        let run = folder.run(&[&["convert", "wide.csv", "back.csv"], &flags[..]].concat());
        assert_eq!((run.code, folder.read("back.csv")), (0, folder.read("long.csv")), "{}", run.err);
    }
}

#[test]
fn a_form_filled_in_once_for_each_task_is_a_table_of_rows() {
    let folder = folder();
    let google = |item: &str, label: &str| {
        let mut text = format!("Timestamp,Email Address,{item},{label}\n");
        for (minute, (task, worker, label)) in ANSWERS.iter().enumerate() {
            text += &format!("5/1/2024 10:{minute:02}:00,{worker},{task},{label}\n");
        }
        text
    };
    for (item, label) in [("Which item?", "Your label"), ("Photo number", "What is on it?"), ("Task", "Answer")] {
        folder.write("form.csv", google(item, label));
        let shown = |name: &str| if name.contains(' ') { format!("'{name}'") } else { name.to_owned() };
        let line = format!("export of Google Forms; {}=task, 'Email Address'=worker", shown(item));
        same_as_long(&folder, "form.csv", &line);
    }
    let mut text =
        "ID,Start time,Completion time,Email,Name,Which one did you look at?,Cat or dog?,Remarks\n".to_owned();
    for (row, (task, worker, label)) in ANSWERS.iter().enumerate() {
        let remark = if row == 3 { "hard to see from here" } else { "" };
        text += &format!("{row},5/1/24 10:00:00,5/1/24 10:09:00,{worker},{worker} x,{task},{label},{remark}\n");
    }
    folder.write("ms.csv", text);
    same_as_long(&folder, "ms.csv", "export of Microsoft Forms; 'Which one did you look at?'=task, Email=worker");
    assert!(folder.run(&["inspect", "ms.csv"]).err.contains("Remarks"));
    // Two questions about each thing.
    let two = google("Item", "Cat or dog?").lines().enumerate().fold(String::new(), |text, (row, line)| {
        let sure = ["Sure?", "yes", "no", "yes"][if row == 0 { 0 } else { 1 + row % 3 }];
        text + &format!("{line},{sure}\n")
    });
    folder.write("two.csv", two);
    let found = folder.json(&["inspect", "two.csv", "--question", "Cat or dog?"]);
    assert_eq!(found["alpha"], folder.json(&["inspect", "long.csv"])["alpha"]);
}

#[test]
fn tasks_are_found_among_more_questions_of_another_kind() {
    let folder = folder();
    let others = "Do you agree?,Have you done this before?,How old are you?,Gender,Country,Education,Remarks";
    let mut text = format!("Timestamp,Email Address,{others}{}\n", header());
    for (minute, (worker, about)) in [
        ("ann", "Yes,No,31,female,Peru,school,none at all"),
        ("bob", "Yes,Yes,44,male,Chad,college,I would like more time"),
        ("cy", "Yes,No,27,other,Fiji,doctorate,fine as it is"),
    ]
    .into_iter()
    .enumerate()
    {
        text += &format!("5/1/2024 10:0{minute}:00,{worker},{about}{}\n", row(worker));
    }
    folder.write("form.csv", text);
    same_as_long(
        &folder,
        "form.csv",
        "export of Google Forms; 'Email Address'=worker; tasks: t1, t2, t3, t4; ignored:",
    );
    let err = folder.run(&["inspect", "form.csv"]).err;
    assert!(err.contains("'Do you agree?'") && err.contains("'Have you done this before?'"), "{err}");
}
