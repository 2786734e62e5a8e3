use super::gathering::VOTES_IN_A_BLOCK;
use super::*;
use crate::judgments::repeats::averaged;

fn rows(n: usize) -> Vec<(String, String, String)> {
    (0..n)
        .map(|i| (format!("task {}", i * 7919 % (n / 4 + 1)), format!("w{}", i % 7), format!("{}", i * i % 3)))
        .collect()
}

/// The rows through placers of `cut` rows each and 2 to the power of `part_bits` partitions; what comes out in the order of
/// leaves.
fn through(rows: &[(String, String, String)], cut: usize, part_bits: u32) -> Vec<(u32, Vec<u8>, Vec<u8>)> {
    let workers: Vec<String> = (0..7).map(|i| format!("w{i}")).collect();
    let mut parts: Vec<TaskGathering> = vec![TaskGathering::default(); 1 << part_bits];
    for piece in rows.chunks(cut) {
        let mut placer =
            TaskPlacer::new(workers.iter().map(String::as_str), [("0", 0), ("1", 1), ("2", 2)], part_bits).unwrap();
        let piece: Vec<_> = piece.iter().map(|(t, w, l)| (t.as_str(), w.as_str(), l.as_str())).collect();
        placer.push(&piece).unwrap();
        for (part, block, ids) in placer.drain() {
            let block = TaskBlock::from_bytes(&block.to_bytes()).unwrap();
            parts[part as usize].push_block(&block, &TaskIds::from_bytes(&ids.to_bytes()).unwrap()).unwrap();
        }
    }
    let bytes = |(leaf, block, ids): (u32, TaskBlock, TaskIds)| (leaf, block.to_bytes(), ids.to_bytes());
    parts.into_iter().flat_map(|part| part.into_blocks(5, true)).map(bytes).collect()
}

#[test]
fn neither_the_order_of_rows_nor_the_number_of_partitions_changes_a_byte() {
    let rows = rows(3000);
    let turned: Vec<_> = rows.iter().rev().cloned().collect();
    let first = through(&rows, 3000, 0);
    assert!(first.is_sorted_by_key(|block| block.0) && first.len() == 32);
    assert!(first == through(&turned, 17, 5) && first == through(&rows, 251, 3));
}

#[test]
fn blocks_hold_the_votes_of_the_rows() {
    let rows = rows(400);
    let labels = crate::Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
    let direct = averaged(labels.ballots()).unwrap_or_else(|| labels.ballots().clone());
    let mut repeated = 0;
    for (leaf, block, ids) in through(&rows, 100, 2) {
        let (block, ids) = (TaskBlock::from_bytes(&block).unwrap(), TaskIds::from_bytes(&ids).unwrap());
        repeated += block.repeated();
        let ballots = block.into_ballots(7, 3).unwrap();
        for (task, id) in ids.iter().enumerate() {
            assert_eq!(leaf_of_key(key_of_task(id), 5), leaf);
            let number = labels.tasks.lookup().code(id).unwrap();
            let worker = |w: usize| labels.workers.get(w)[1..].parse::<usize>().unwrap();
            let mut here: Vec<_> = ballots.votes(task).weighted().collect();
            let mut there: Vec<_> =
                direct.votes(number).weighted().map(|(w, l, weight)| (worker(w), l, weight)).collect();
            here.sort_by(|a, b| a.partial_cmp(b).unwrap());
            there.sort_by(|a, b| a.partial_cmp(b).unwrap());
            assert_eq!(here, there, "{id}");
        }
    }
    assert_eq!(repeated, labels.repeated(&crate::Context::new()) as u64);
}

#[test]
fn what_is_no_block_is_refused() {
    let mut gathering = TaskGathering::default();
    gathering.push(&["a", "b", "a"], &[0, 1, 2], &[0, 0, 1]).unwrap();
    let (block, ids) = gathering.into_block();
    assert!(block.clone().into_ballots(2, 2).is_err() && block.clone().into_ballots(3, 1).is_err());
    let bytes = block.to_bytes();
    for end in 0..bytes.len() {
        assert!(TaskBlock::from_bytes(&bytes[..end]).is_err());
    }
    assert!(TaskIds::from_bytes(&ids.to_bytes()[..9]).is_err());
    let mut placer = TaskPlacer::new(["w"], [("x", 0)], 0).unwrap();
    assert!(TaskPlacer::new(["w"], [("x", 0), ("x", 1)], 0).is_err() && TaskPlacer::new(["w"], [], 40).is_err());
    assert!(placer.push(&[("t", "w", "y")]).is_err() && placer.push(&[("t", "v", "x")]).is_err());
}

#[test]
fn a_task_with_very_many_votes_is_one_block() {
    let votes = 3 * VOTES_IN_A_BLOCK;
    let mut gathering = TaskGathering::default();
    let workers: Vec<u32> = (0..votes as u32).collect();
    gathering.push(&vec!["one"; votes], &workers, &vec![0; votes]).unwrap();
    gathering.push(&["two"], &[0], &[0]).unwrap();
    let blocks = gathering.into_blocks(0, true);
    assert_eq!(blocks.iter().map(|(_, block, _)| block.votes()).sum::<usize>(), votes + 1);
    assert!(blocks.len() <= 2);
}
