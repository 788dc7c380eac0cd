import { Alert, Box, Button, Group, Stack, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { ConfirmButton } from '../parts/ConfirmButton'
import { PageLink } from '../parts/PageLink'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { CONTACT_TEXTS } from '../texts/contacts'
import { SUPPRESSION_TEXTS } from '../texts/suppressions'

const TEXTS = CONTACT_TEXTS.getsMail

type Standing = RecordOf<'/contacts/{contact_id}/deliverability'>
type Reason = Standing['reasons'][number]

/** Says why a person gets no mail, with the button that ends it. */
export function Deliverability({ contactId }: { contactId: string }) {
  const read = useRecord('/contacts/{contact_id}/deliverability', { path: { contact_id: contactId } })
  const { data } = read
  if (!data) return <Awaited read={read} />
  return (
    <Box component="section" aria-label={TEXTS.title}>
      <Alert color={colorOf(data)} title={titleOf(data)} role="note">
        <Stack gap="sm">
          {data.reasons.map((reason) => (
            <ReasonLine key={`${reason.reason} ${reason.topic_id ?? ''}`} reason={reason} contactId={contactId} />
          ))}
          {data.reasons.length === 0 && TEXTS.all}
        </Stack>
      </Alert>
    </Box>
  )
}

function colorOf({ gets_bulk_mail, reasons }: Standing): string {
  if (reasons.length === 0) return 'green'
  return gets_bulk_mail ? 'gray' : 'orange'
}

function titleOf({ gets_mail, gets_bulk_mail, reasons }: Standing): string | undefined {
  if (reasons.length === 0) return undefined
  if (!gets_mail) return TEXTS.nothing
  return gets_bulk_mail ? TEXTS.some : TEXTS.noBulk
}

function ReasonLine({ reason, contactId }: { reason: Reason; contactId: string }) {
  return (
    <Group justify="space-between" align="flex-start">
      <Stack gap={2} flex="1 1 260px">
        <Text>{reason.explanation}</Text>
        <Text size="sm">{reason.advice}</Text>
        <Group gap="sm">
          {reason.since !== null && (
            <Text size="sm">
              {TEXTS.since} <Time at={reason.since} />
            </Text>
          )}
          {reason.email_id !== null && (
            <PageLink onlyLeads to={`/emails/${reason.email_id}`} size="sm">
              {TEXTS.theEmail}
            </PageLink>
          )}
        </Group>
      </Stack>
      <Remedy reason={reason} contactId={contactId} />
    </Group>
  )
}

/** The request that ends it, if the role may do that. */
function Remedy({ reason, contactId }: { reason: Reason; contactId: string }) {
  const may = useMay()
  const operation = reason.remedy?.operation ?? ''
  const act = useAct({
    run: (): Promise<unknown> => {
      const path = { contact_id: contactId }
      if (operation === 'suppressions.delete') {
        const suppression_id = reason.remedy?.path.split('/').at(-1) ?? ''
        return answer(api.DELETE('/suppressions/{suppression_id}', { params: { path: { suppression_id } } }))
      }
      if (operation === 'contacts.topics.update')
        return answer(
          api.PATCH('/contacts/{contact_id}/topics', {
            params: { path },
            body: { topics: [{ id: reason.topic_id ?? '', subscription: 'opt_in' }] },
          }),
        )
      return answer(api.PATCH('/contacts/{contact_id}', { params: { path }, body: { unsubscribed: false } }))
    },
    done: TEXTS.remedied[operation] ?? '',
    changes: ['contacts', 'suppressions', 'segments'],
  })
  const words = TEXTS.remedies[operation]
  if (words === undefined || !may(SCOPES[operation] ?? '')) return null
  // Mail goes out again to someone who may have asked for none, or to a mailbox that does not exist.
  if (operation === 'suppressions.delete')
    return (
      <ConfirmButton
        name={words}
        question={`${SUPPRESSION_TEXTS.removeQuestion} ${reason.advice}`}
        variant="default"
        size="xs"
        onConfirm={() => act.mutate()}
        isBusy={act.isPending}
      />
    )
  return (
    <Button variant="default" size="xs" onClick={() => act.mutate()} loading={act.isPending}>
      {words}
    </Button>
  )
}

const SCOPES: Readonly<Record<string, string>> = {
  'suppressions.delete': 'suppressions:delete',
  'contacts.update': 'contacts:subscriptions',
  'contacts.topics.update': 'contacts:subscriptions',
}
