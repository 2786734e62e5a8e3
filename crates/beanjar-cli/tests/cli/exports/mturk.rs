//! Mechanical Turk's results of a batch.

use super::{ANSWERS, folder, same_as_long};

#[test]
fn mechanical_turk() {
    let folder = folder();
    let header = "HITId,HITTypeId,Title,AssignmentId,WorkerId,AssignmentStatus,WorkTimeInSeconds,Input.image_url";
    let write = |name: &str, answer: &str, cell: &dyn Fn(&str) -> String| {
        let rows: String = ANSWERS
            .iter()
            .enumerate()
            .map(|(row, (task, worker, label))| {
                format!(
                    "{task},3T,\"Cats, dogs\",3A{row},{worker},Approved,12,https://example.org/{task}.jpg,{}\n",
                    cell(label)
                )
            })
            .collect();
        let rejected =
            format!("t1,3T,\"Cats, dogs\",3AX,spammer,Rejected,1,https://example.org/t1.jpg,{}\n", cell("dog"));
        folder.write(name, format!("{header},{answer}\n{rows}{rejected}"));
    };
    write("batch.csv", "Answer.animal", &|label| label.to_owned());
    same_as_long(&folder, "batch.csv", "export of Mechanical Turk");
    assert!(
        folder
            .run(&["inspect", "batch.csv"])
            .err
            .contains("HITId=task, WorkerId=worker; question: animal; 1 rejected assignment left out")
    );
    // The user's own word on columns goes before what the platform means by them.
    let columns = "object=Input.image_url,worker=WorkerId,label=Answer.animal";
    let found = folder.json(&["aggregate", "batch.csv", "--columns", columns]);
    assert_eq!(found["tasks"][0]["task"], "https://example.org/t1.jpg");
    write("classifier.csv", "Answer.category.label", &|label| label.to_owned());
    same_as_long(&folder, "classifier.csv", "export of Mechanical Turk");
    write("boxes.csv", "Answer.cat.on,Answer.dog.on", &|label| format!("{},{}", label == "cat", label == "dog"));
    same_as_long(&folder, "boxes.csv", "export of Mechanical Turk");
    write("groups.csv", "Answer.animal.cat,Answer.animal.dog", &|label| {
        format!("{},{}", label == "cat", label == "dog")
    });
    same_as_long(&folder, "groups.csv", "export of Mechanical Turk");
    write("json.csv", "Answer.taskAnswers", &|label| {
        format!("\"[{{\"\"animal\"\":{{\"\"label\"\":\"\"{label}\"\"}}}}]\"")
    });
    same_as_long(&folder, "json.csv", "export of Mechanical Turk");
    write("rating.csv", "Answer.rating", &|label| if label == "cat" { "1".into() } else { "2".into() });
    assert_eq!(folder.json(&["inspect", "rating.csv"])["attributes"][0]["attribute"], "rating");
}

#[test]
fn what_forms_send_along_is_no_question() {
    let folder = folder();
    let rows: String = ANSWERS
        .iter()
        .enumerate()
        .map(|(row, (task, worker, label))| {
            let form = format!("[{{\"animal.cat\":{},\"animal.dog\":{}}}]", *label == "cat", *label == "dog");
            let form = form.replace('"', "\"\"");
            format!("{task},{worker},Submitted,\"{form}\",Mozilla/5.0 (X11),thanks {row},{},\n", 1000 + row)
        })
        .collect();
    let header =
        "HITId,WorkerId,AssignmentStatus,Answer.taskAnswers,Answer.userAgent,Answer.comment,Answer.time,Reject";
    let rejected = "t1,spammer,Submitted,\"[{\"\"animal.dog\"\":true}]\",,,,no work\n";
    folder.write("batch.csv", format!("{header}\n{rows}{rejected}"));
    let line = "export of Mechanical Turk; HITId=task, WorkerId=worker; question: animal; 1 rejected assignment left out; free text left out: comment, time";
    same_as_long(&folder, "batch.csv", line);
}

#[test]
fn buttons_with_names_of_their_own_are_one_question_if_each_row_has_one() {
    let folder = folder();
    let header = "HITId,WorkerId,AssignmentStatus";
    let write = |name: &str, answer: &str, cell: &dyn Fn(&str) -> String| {
        let rows: String =
            ANSWERS.iter().map(|(task, worker, label)| format!("{task},{worker},Approved,{}\n", cell(label))).collect();
        folder.write(name, format!("{header},{answer}\n{rows}"));
    };
    let line = "export of Mechanical Turk; HITId=task, WorkerId=worker; question: choice";
    write("buttons.csv", "Answer.cat.cat,Answer.dog.dog", &|label| {
        format!("{},{}", label == "cat", label == "dog").to_uppercase()
    });
    same_as_long(&folder, "buttons.csv", line);
    write("json.csv", "Answer.taskAnswers", &|label| {
        let form = format!("[{{\"btn1\":{{\"cat\":{}}},\"btn2\":{{\"dog\":{}}}}}]", label == "cat", label == "dog");
        format!("\"{}\"", form.replace('"', "\"\""))
    });
    same_as_long(&folder, "json.csv", line);
    // Boxes of which some rows have several, or none, are a question each.
    write("boxes.csv", "Answer.fur.cat,Answer.tail.dog", &|label| format!("true,{}", label == "dog"));
    let run = folder.run(&["inspect", "boxes.csv"]);
    assert!(run.err.contains("questions: fur, tail"), "{}", run.err);
}

#[test]
fn a_batch_without_hits_has_its_inputs_for_tasks() {
    let folder = folder();
    let rows: String =
        ANSWERS.iter().map(|(task, worker, label)| format!("pet,{task},{worker},{label},ok\n")).collect();
    let header = "Input.kind,Input.image_url,WorkerId,Answer.animal,Answer.comment";
    folder.write("batch.csv", format!("{header}\n{rows}"));
    let line = "export of Mechanical Turk; Input.image_url=task, WorkerId=worker; question: animal; free text left out: comment";
    same_as_long(&folder, "batch.csv", line);
}
