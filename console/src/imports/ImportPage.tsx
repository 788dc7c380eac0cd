import { Alert, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { ConfirmButton } from '../parts/ConfirmButton'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { countOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time, timeText } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart } from '../shell/address'
import { IMPORT_TEXTS as TEXTS } from '../texts/imports'
import { RefusedRows } from './RefusedRows'

type Import = RecordOf<'/contacts/imports/{contact_import_id}'>

const LOOKED_AT_EVERY_MS = 1_500

const isOver = (status: Import['status']): boolean => status === 'completed' || status === 'failed' || status === 'canceled'

export default function ImportPage() {
  const id = useAddressPart('importId')
  const may = useMay()
  const { data, error, refetch } = useRecord(
    '/contacts/imports/{contact_import_id}',
    { path: { contact_import_id: id } },
    { everyMs: ({ status }) => (isOver(status) ? null : LOOKED_AT_EVERY_MS) },
  )
  if (!data) return <Awaited read={{ error, refetch }} />
  const { status, counts, reason, file_name } = data
  return (
    <Page
      title={file_name ?? `${TEXTS.of} ${timeText(data.created_at)}`}
      back={{ to: '/imports', name: TEXTS.title }}
      state={<StateBadge state={status} words={TEXTS.states[status]} />}
      acts={!isOver(status) && may('contact-imports:write') && <Cancel id={data.id} />}
    >
      {!isOver(status) && <Progress value={100} animated aria-label={TEXTS.running} />}
      {status === 'canceled' && <Alert color="gray">{TEXTS.canceledHint}</Alert>}
      {reason !== null && (
        <Alert color="red" title={TEXTS.reason}>
          {reason}
        </Alert>
      )}
      <Section title={TEXTS.one}>
        <Stack>
          <SimpleGrid cols={{ base: 2, sm: 5 }} role="status">
            {(['total', 'created', 'updated', 'skipped', 'failed'] as const).map((name) => (
              <div key={name}>
                <Text size="sm" c="dimmed">
                  {TEXTS.counts[name]}
                </Text>
                <Text fz="xl" fw={600}>
                  {countOf(counts[name])}
                </Text>
              </div>
            ))}
          </SimpleGrid>
          {counts.created + counts.updated > 0 && <PageLink to="/contacts">{TEXTS.seeContacts}</PageLink>}
          <Facts
            facts={[
              [TEXTS.fileName, file_name && <bdi key="file">{file_name}</bdi>],
              [TEXTS.started, <Time key="started" at={data.created_at} />],
              [TEXTS.ended, data.completed_at && <Time key="ended" at={data.completed_at} />],
              [TEXTS.encoding, data.encoding],
              [TEXTS.ignoredColumns, data.ignored_columns.join(', ')],
              [TEXTS.id, <Copyable key="id" text={data.id} />],
            ]}
          />
        </Stack>
      </Section>
      {isOver(status) && counts.failed > 0 && (
        <Section title={TEXTS.refused}>
          <RefusedRows url={data.report_url} all={counts.failed} />
        </Section>
      )}
    </Page>
  )
}

/** What was imported stays: that is said before. */
function Cancel({ id }: { id: string }) {
  const cancel = useAct({
    run: () => answer(api.POST('/contacts/imports/{contact_import_id}/cancel', { params: { path: { contact_import_id: id } } })),
    done: TEXTS.wasCanceled,
    changes: ['contacts'],
  })
  return <ConfirmButton name={TEXTS.cancel} question={TEXTS.cancelQuestion} onConfirm={() => cancel.mutate()} isBusy={cancel.isPending} />
}
