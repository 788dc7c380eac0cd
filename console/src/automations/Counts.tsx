import { Badge, Group } from '@mantine/core'
import { countOf } from '../parts/numbers'
import { AUTOMATION_TEXTS as TEXTS } from '../texts/automations'
import type { StepCounts } from './graph'

/** How many runs came to a step, and what became of them there. */
export const Counts = ({ counts: { entered, waiting, done, failed, skipped, share } }: { counts: StepCounts }) => (
  <Group gap={4} wrap="nowrap">
    <Badge size="xs" variant="default">
      {countOf(entered)} {TEXTS.entered}
      {share !== null && share < 100 && `, ${share} %`}
    </Badge>
    {waiting > 0 && (
      <Badge size="xs" variant="light" color="blue">
        {countOf(waiting)} {TEXTS.waiting}
      </Badge>
    )}
    {failed > 0 && (
      <Badge size="xs" variant="light" color="red">
        {countOf(failed)} {TEXTS.failed}
      </Badge>
    )}
    {waiting === 0 && failed === 0 && skipped > 0 && (
      <Badge size="xs" variant="light" color="gray">
        {countOf(skipped)} {TEXTS.skipped}
      </Badge>
    )}
    {waiting === 0 && failed === 0 && skipped === 0 && done > 0 && (
      <Badge size="xs" variant="light" color="green">
        {countOf(done)} {TEXTS.done}
      </Badge>
    )}
  </Group>
)
