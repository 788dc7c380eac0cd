import { Alert, Anchor, Badge, Grid, List, Progress, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { NotLoaded } from '../parts/ErrorAlert'
import { Facts } from '../parts/Facts'
import { MessageView } from '../parts/MessageView'
import { Section } from '../parts/Section'
import { withCode } from '../parts/with-code'
import { useMay } from '../session/me'
import { BROADCAST_TEXTS as TEXTS } from '../texts/broadcasts'
import { withClicks } from './link-map'

type Broadcast = RecordOf<'/broadcasts/{broadcast_id}'>

const TYPING_MS = 500

/** How a contact gets it, and where those who have it went from there. */
export function BroadcastMessage({ broadcast }: { broadcast: Broadcast }) {
  const may = useMay()
  const [typed, setTyped] = useState('')
  const [contact] = useDebouncedValue(typed.trim(), TYPING_MS)
  const read = useRecord('/broadcasts/{broadcast_id}/preview', {
    path: { broadcast_id: broadcast.id },
    ...(contact !== '' && { query: { contact } }),
  })
  const { data, error } = read
  const hasLinks = broadcast.counts.clicked > 0
  const links = useClickedLinks(broadcast.id, hasLinks)
  return (
    <Section title={TEXTS.message}>
      <Grid>
        <Grid.Col span={{ base: 12, lg: hasLinks ? 8 : 12 }}>
          <Stack>
            {may('contacts:read') && (
              <TextInput
                label={TEXTS.asContact}
                description={TEXTS.asContactHint}
                value={typed}
                onChange={({ currentTarget }) => setTyped(currentTarget.value)}
                maw={400}
                error={error && contact !== '' ? error.message : undefined}
              />
            )}
            {!data && (error === null || contact === '') && <Awaited read={read} />}
            {data && <Preview preview={data} broadcast={broadcast} />}
          </Stack>
        </Grid.Col>
        {hasLinks && (
          <Grid.Col span={{ base: 12, lg: 4 }}>
            <ClickedLinks links={links} />
          </Grid.Col>
        )}
      </Grid>
    </Section>
  )
}

/** The most followed first. More than those on a page are rarely in one message. */
const useClickedLinks = (id: string, isEnabled: boolean) =>
  useRows('/broadcasts/{broadcast_id}/clicked-links', { path: { broadcast_id: id }, query: { limit: LINKS_MAX } }, { isEnabled })
const LINKS_MAX = 100

type PreviewProps = { preview: RecordOf<'/broadcasts/{broadcast_id}/preview'>; broadcast: Broadcast }

function Preview({ preview, broadcast }: PreviewProps) {
  const [isMap, setMap] = useState(true)
  const hasLinks = broadcast.counts.clicked > 0
  const links = useClickedLinks(broadcast.id, hasLinks)
  const { html } = preview
  return (
    <>
      {preview.warnings.length > 0 && (
        <Alert color="orange">
          <List size="sm">
            {preview.warnings.map((warning) => (
              <List.Item key={warning}>{withCode(warning)}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Facts
        facts={[
          [TEXTS.subject, preview.subject],
          [TEXTS.previewText, preview.preview_text],
        ]}
      />
      {hasLinks && html !== null && (
        <Switch label={TEXTS.linkMap} checked={isMap} onChange={({ currentTarget }) => setMap(currentTarget.checked)} />
      )}
      <MessageView
        html={html !== null && hasLinks && isMap ? withClicks(html, broadcast.html ?? '', links.rows) : html}
        text={preview.text}
        source={html ?? ''}
        title={TEXTS.message}
      />
    </>
  )
}

function ClickedLinks({ links }: { links: ReturnType<typeof useClickedLinks> }) {
  const most = Math.max(1, ...links.rows.map(({ clicks }) => clicks))
  return (
    <Stack gap="sm">
      <Text fw={600} component="h3" m={0}>
        {TEXTS.links}
      </Text>
      {links.error && <NotLoaded error={links.error} onRetry={links.retry} />}
      {links.rows.map(({ id, url, clicks, unique_clicks }) => (
        <Stack key={id} gap={4}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Text>
          <Progress value={(clicks / most) * 100} size="sm" aria-hidden />
          <Text size="sm" c="dimmed">
            <Badge variant="light">{TEXTS.clicks(clicks)}</Badge> {TEXTS.people(unique_clicks)}
          </Text>
        </Stack>
      ))}
      {links.hasMore && (
        <Anchor component="button" type="button" onClick={links.loadMore} size="sm">
          {TEXTS.moreLinks}
        </Anchor>
      )}
    </Stack>
  )
}
