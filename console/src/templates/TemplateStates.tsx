import { Badge, Group } from '@mantine/core'
import type { RowOf } from '../api/queries'
import { StateBadge } from '../parts/StateBadge'
import { TEMPLATE_TEXTS as TEXTS } from '../texts/templates'

type Stated = Pick<RowOf<'/templates'>, 'status' | 'has_unpublished_versions'>

/** Whether it is published, and whether someone has saved more since. */
export const TemplateStates = ({ template: { status, has_unpublished_versions } }: { template: Stated }) => (
  <Group gap={4}>
    <StateBadge state={status} />
    {status === 'published' && has_unpublished_versions && (
      <Badge variant="light" color="orange" miw="max-content">
        {TEXTS.draftIsNewer}
      </Badge>
    )}
  </Group>
)
