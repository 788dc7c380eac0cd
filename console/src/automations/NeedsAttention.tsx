import { Badge } from '@mantine/core'
import type { RowOf } from '../api/queries'
import { AUTOMATION_TEXTS as TEXTS } from '../texts/automations'

/** An automation that was held because it may be part of a loop, or disabled because something that it needs was deleted. */
export const NeedsAttention = ({ automation }: { automation: Pick<RowOf<'/automations'>, 'held_at' | 'disabled_reason'> }) =>
  automation.held_at === null && automation.disabled_reason === null ? null : (
    <Badge variant="light" color="orange" miw="max-content">
      {TEXTS.needsAttention}
    </Badge>
  )
