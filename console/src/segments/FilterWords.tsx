import { List, Stack, Text } from '@mantine/core'
import { Time } from '../parts/Time'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { asksOnlyWhetherSet, type DraftGroup, type DraftLeaf, isGroup } from './filter-draft'
import { type SubjectGroup, subjectNamed } from './filter-subjects'

/** A filter as people read it: nested lists. */
export function FilterWords({ draft: { kind, rules }, subjects }: { draft: DraftGroup; subjects: readonly SubjectGroup[] }) {
  const isPlain = rules.length === 1 && (kind === 'all' || kind === 'any')
  return (
    <Stack gap={4}>
      {!isPlain && <Text>{TEXTS.groups[kind]}:</Text>}
      <List>
        {rules.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other name
          <List.Item key={index}>
            {isGroup(rule) ? <FilterWords draft={rule} subjects={subjects} /> : <RuleWords leaf={rule} subjects={subjects} />}
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}

function RuleWords({ leaf: { subject, operator, value }, subjects }: { leaf: DraftLeaf; subjects: readonly SubjectGroup[] }) {
  const { words, choices } = subjectNamed(subjects, subject)
  if (choices !== null)
    return (
      <Text span style={{ overflowWrap: 'anywhere' }}>
        <bdi>{words}</bdi>: {choices[value] ?? value}
      </Text>
    )
  return (
    <Text span style={{ overflowWrap: 'anywhere' }}>
      <bdi>{words}</bdi> {TEXTS.operators[operator] ?? operator}{' '}
      {!asksOnlyWhetherSet(operator) && <b>{subject === 'field:created_at' ? <TimeOrText text={value} /> : <bdi>{value}</bdi>}</b>}
    </Text>
  )
}

const TimeOrText = ({ text }: { text: string }) => (Number.isNaN(new Date(text).getTime()) ? text : <Time at={text} />)
