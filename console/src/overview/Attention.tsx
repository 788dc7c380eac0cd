import { Badge, Group, List, Text } from '@mantine/core'
import type { RecordOf } from '../api/queries'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { OVERVIEW_TEXTS as TEXTS } from '../texts/overview'

type Overview = RecordOf<'/overview'>
type Item = Overview['attention'][number]

/** The section in which something of a kind is shown. */
const SECTIONS: Readonly<Record<Item['kind'], string | null>> = {
  ...{ service_restored: null, disk_full: null, relay_down: null, limit: 'usage', reputation: 'usage' },
  ...{ domain: 'domains', webhook: 'webhooks', broadcast: 'broadcasts', contact_import: 'imports', automation: 'automations' },
}

/** What someone has to look at, in one list with links. */
export const Attention = ({ overview: { attention, attention_more: more } }: { overview: Overview }) => (
  <Section title={TEXTS.attention}>
    {attention.length === 0 ? (
      <Text c="dimmed">{TEXTS.nothing}</Text>
    ) : (
      <List listStyleType="none" spacing="sm">
        {attention.map((item) => (
          <List.Item key={`${item.kind}:${item.id ?? item.reason}`}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Badge variant="light" color={item.severity === 'failure' ? 'red' : 'orange'} w={96} style={{ flexShrink: 0 }}>
                {TEXTS.kinds[item.kind]}
              </Badge>
              <What item={item} />
            </Group>
          </List.Item>
        ))}
        {more.map((kind) => (
          <List.Item key={kind}>
            <PageLink to={`/${SECTIONS[kind] ?? ''}`}>{TEXTS.moreOf(TEXTS.kinds[kind])}</PageLink>
          </List.Item>
        ))}
      </List>
    )}
  </Section>
)

function What({ item: { kind, id, name, reason, since } }: { item: Item }) {
  const section = SECTIONS[kind]
  const to = section === null ? null : id === null ? `/${section}` : `/${section}/${id}`
  return (
    <Text component="div" size="sm" style={{ overflowWrap: 'anywhere' }}>
      {to !== null && (
        <PageLink to={to} fw={500}>
          <bdi>{name ?? TEXTS.look}</bdi>
        </PageLink>
      )}{' '}
      <Text span size="sm">
        <bdi>{reason}</bdi>
      </Text>{' '}
      {since !== null && (
        <Text span c="dimmed" size="sm">
          <Time at={since} form="ago" />
        </Text>
      )}
    </Text>
  )
}
