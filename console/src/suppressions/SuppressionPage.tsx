import { Alert, Stack, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { ConfirmButton } from '../parts/ConfirmButton'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { SUPPRESSION_TEXTS as TEXTS } from '../texts/suppressions'
import { OriginBadge } from './SuppressionsPage'

type Suppression = RecordOf<'/suppressions/{suppression_id}'>

export default function SuppressionPage() {
  const id = useAddressPart('suppressionId')
  const may = useMay()
  const { data: suppression, error, refetch } = useRecord('/suppressions/{suppression_id}', { path: { suppression_id: id } })
  if (!suppression) return <Awaited read={{ error, refetch }} />
  const { email, origin, reason, source_id: sourceId, created_at: since, soft_bounces: bounces } = suppression
  return (
    <Page
      title={email}
      back={{ to: '/suppressions', name: TEXTS.title }}
      state={<OriginBadge origin={origin} />}
      acts={may('suppressions:delete') && <Remove suppression={suppression} />}
    >
      <Section title={TEXTS.details}>
        <Text>{reason === 'soft_bounces' ? TEXTS.softBounces : TEXTS.meanings[origin]}</Text>
        <Facts
          facts={[
            [TEXTS.since, <Time key="since" at={since} />],
            [
              TEXTS.email,
              sourceId !== null && may('emails:read') && (
                <PageLink key="email" to={`/emails/${sourceId}`}>
                  {TEXTS.theEmail}
                </PageLink>
              ),
            ],
            [
              TEXTS.contact,
              may('contacts:read') && (
                <PageLink key="contact" to="/contacts" search={{ search: email }}>
                  {TEXTS.seeContact}
                </PageLink>
              ),
            ],
          ]}
        />
      </Section>
      {bounces && bounces.length > 0 && (
        <Section title={TEXTS.bounces}>
          <Facts
            facts={bounces.map(({ email_id: emailId, bounced_at: at }, index) => [
              `${index + 1}`,
              <Stack key={emailId} gap={0}>
                <PageLink onlyLeads to={`/emails/${emailId}`}>
                  {TEXTS.theEmail}
                </PageLink>
                <Time at={at} />
              </Stack>,
            ])}
          />
        </Section>
      )}
    </Page>
  )
}

function Remove({ suppression: { id, origin } }: { suppression: Suppression }) {
  const go = useGo()
  const remove = useAct({
    run: () => answer(api.DELETE('/suppressions/{suppression_id}', { params: { path: { suppression_id: id } } })),
    done: TEXTS.removed(1),
    changes: ['suppressions'],
    onDone: () => go('/suppressions'),
  })
  return (
    <ConfirmButton
      name={TEXTS.remove}
      variant="default"
      question={
        <>
          {TEXTS.removeQuestion}
          {origin !== 'manual' && (
            <Alert color="orange" mt="sm">
              {origin === 'complaint' ? TEXTS.removeReported : TEXTS.removeBounced}
            </Alert>
          )}
        </>
      }
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
    />
  )
}
