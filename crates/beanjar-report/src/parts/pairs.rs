use crate::figure::Figure;
use crate::heat::Heat;
use crate::number::{count, form, percent};
use crate::table::{Table, row};
use crate::text::quoted;
use beanjar::reliability::share_interval;
use beanjar::workers::AgreementMap;

/// Pairs with fewer tasks in common are not drawn: their share is chance.
const FEWEST: usize = 5;

/// How often each two workers agree, those who agree beside one another.
pub(super) fn agreement(map: &AgreementMap, families: &[Vec<String>]) -> Option<Figure> {
    let n = map.workers.len();
    let pairs: Vec<(usize, usize, usize, Option<f64>)> = (0..n)
        .flat_map(|i| {
            let row = map.shared[i].iter().zip(&map.agreement[i]).enumerate();
            row.map(move |(after, (&shared, &share))| (i, i + 1 + after, shared, share))
        })
        .collect();
    let drawn = |shared: usize, share: Option<f64>| share.filter(|_| shared >= FEWEST);
    // By what is sure: a few tasks that happen to agree say little.
    let surely = |pair: &(usize, usize, usize, f64)| share_interval(pair.3, pair.2 as f64).low;
    let most = pairs
        .iter()
        .filter_map(|&(i, j, shared, share)| Some((i, j, shared, drawn(shared, share)?)))
        .max_by(|a, b| surely(a).total_cmp(&surely(b)))?;
    let title = format!(
        "{} and {} agree most surely: on {} of {}",
        quoted(&map.workers[most.0]),
        quoted(&map.workers[most.1]),
        percent(most.3),
        count(most.2, "task"),
    );
    let block = |family: &Vec<String>| {
        let mut places: Vec<usize> =
            family.iter().filter_map(|name| map.workers.iter().position(|worker| worker == name)).collect();
        places.sort_unstable();
        let (first, last) = (*places.first()?, *places.last()?);
        (places.len() > 1 && last - first + 1 == places.len()).then_some((first, last + 1))
    };
    let blocks: Vec<(usize, usize)> = families.iter().filter_map(block).collect();
    let mut meaning =
        "Strongly coloured squares beside the diagonal are workers who answer alike: their votes count for less than their number."
            .to_owned();
    if !blocks.is_empty() {
        meaning += " Those within a frame are copies of one another.";
    }
    if map.left_out > 0 {
        let were = form(map.left_out, "is", "are");
        meaning += &format!(" {} with fewer labels {were} left out.", count(map.left_out, "worker"));
    }
    let chart = Heat {
        names: map.workers.clone(),
        shares: pairs.iter().map(|&(_, _, shared, share)| drawn(shared, share)).collect(),
        meaning: "percent of shared tasks with the same label".into(),
        blocks,
    };
    let rows = pairs
        .iter()
        .map(|&(i, j, shared, share)| row![format!("{} & {}", map.workers[i], map.workers[j]), share, shared]);
    Some(Figure::new("agreement", title, chart, meaning, Table::new(&["workers", "agree", "tasks in common"], rows)))
}
