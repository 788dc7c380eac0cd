import { Stack, Switch, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RowOf, Rows } from '../api/queries'
import { Section } from '../parts/Section'
import { useMay } from '../session/me'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'

type ContactTopicsProps = { contact: { id: string; unsubscribed: boolean }; topics: Rows<RowOf<'/contacts/{contact_id}/topics'>> }

export function ContactTopics({ contact, topics }: ContactTopicsProps) {
  const may = useMay()
  const choose = useAct({
    run: ({ id, isIn }: { id: string; isIn: boolean }) =>
      answer(
        api.PATCH('/contacts/{contact_id}/topics', {
          params: { path: { contact_id: contact.id } },
          body: { topics: [{ id, subscription: isIn ? 'opt_in' : 'opt_out' }] },
        }),
      ),
    done: TEXTS.topicSaved,
    changes: ['contacts'],
  })
  return (
    <Section title={TEXTS.topics}>
      {topics.rows.length === 0 && !topics.isLoading && <Text c="dimmed">{TEXTS.noTopics}</Text>}
      <Stack gap="xs">
        {topics.rows.map(({ id, name, subscription }) => (
          <Switch
            key={id}
            label={<bdi>{name}</bdi>}
            description={subscription === 'opt_in' ? TEXTS.optedIn : TEXTS.optedOut}
            checked={subscription === 'opt_in'}
            disabled={!may('contacts:subscriptions') || choose.isPending}
            onChange={({ currentTarget }) => choose.mutate({ id, isIn: currentTarget.checked })}
          />
        ))}
      </Stack>
      {contact.unsubscribed && topics.rows.length > 0 && <Text size="sm">{TEXTS.topicsWhileUnsubscribed}</Text>}
    </Section>
  )
}
