import { Badge, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { RecordOf } from '../api/queries'
import { wordsOf } from '../parts/StateBadge'
import { VERDICT_TEXTS as TEXTS } from '../texts/received'

type Received = RecordOf<'/emails/receiving/{received_email_id}'>

const COLORS = {
  pass: 'green',
  fail: 'red',
  gray: 'gray',
  processing_failed: 'orange',
  unknown: 'orange',
  clean: 'green',
  spam: 'red',
  virus: 'red',
  not_checked: 'orange',
} as const

const CHECKS = ['spf', 'dkim', 'dmarc', 'arc'] as const

/** What the checks of the sender and the filter of the operator say, with what each means: facts for the list of them. */
export const verdictFacts = ({ authentication, filter }: Received): [string, ReactNode][] => [
  ...(authentication === null
    ? []
    : CHECKS.map((check): [string, ReactNode] => {
        const verdict = authentication[check]
        const meanings: Readonly<Record<string, string>> = { ...TEXTS.unknowns, ...TEXTS.meanings[check] }
        return [TEXTS.names[check], <Verdict key={check} verdict={verdict} meaning={meanings[verdict] ?? ''} />]
      })),
  ...(filter === null
    ? []
    : [[TEXTS.filter, <Verdict key="filter" verdict={filter.verdict} meaning={filterWords(filter)} />] as [string, ReactNode]]),
]

const Verdict = ({ verdict, meaning }: { verdict: keyof typeof COLORS; meaning: string }) => (
  <Stack gap={2} align="flex-start">
    <Badge variant="light" color={COLORS[verdict]}>
      {verdict === 'gray' ? TEXTS.gray : wordsOf(verdict)}
    </Badge>
    <Text size="sm" c="dimmed">
      {meaning}
    </Text>
  </Stack>
)

function filterWords({ name, verdict, score, detail }: NonNullable<Received['filter']>): string {
  const facts = [score === null ? null : `score ${score}`, detail].filter((fact) => fact !== null).join(', ')
  return [TEXTS.ofFilter[verdict](name), facts].filter(Boolean).join(' ')
}
