import { List, Stack, Text } from '@mantine/core'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { Time } from '../parts/Time'
import { TEMPLATE_TEXTS, PUBLISH_TEXTS as TEXTS } from '../texts/templates'

type Template = RecordOf<'/templates/{template_id}'>

/** Publishing takes all that was saved since the last time, also by others: the question says what that is. */
export function PublishQuestion({ template }: { template: Template }) {
  const { published_version_id: published } = template
  return (
    <Stack gap="sm">
      <Text>{TEMPLATE_TEXTS.publishQuestion}</Text>
      {published === null ? <Text>{TEXTS.first}</Text> : <Changes template={template} published={published} />}
    </Stack>
  )
}

function Changes({ template, published }: { template: Template; published: string }) {
  const path = { template_id: template.id }
  const { data: before } = useRecord('/templates/{template_id}/versions/{version_id}', { path: { ...path, version_id: published } })
  const versions = useRows('/templates/{template_id}/versions', { path })
  const at = versions.rows.findIndex(({ is_published }) => is_published)
  const newer = at === -1 ? [] : versions.rows.slice(0, at)
  if (!before) return null
  const changed = PARTS.filter((part) => JSON.stringify(before[part]) !== JSON.stringify(template[part]))
  return (
    <div>
      <Text>{TEXTS.changed(newer.length)}</Text>
      <List size="sm">
        {changed.map((part) => (
          <List.Item key={part}>{TEXTS.parts[part]}</List.Item>
        ))}
      </List>
      {newer.length > 1 && (
        <Text size="sm" c="dimmed">
          {TEXTS.savedAt}{' '}
          {newer.slice(0, SHOWN_MAX).map(({ id, created_at }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <Time at={created_at} />
            </span>
          ))}
          {newer.length > SHOWN_MAX && ' …'}
        </Text>
      )}
    </div>
  )
}

const PARTS = ['subject', 'from', 'reply_to', 'html', 'text', 'variables'] as const
const SHOWN_MAX = 5
