import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import { type RowOf, useRecord, useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { DeleteButton } from '../parts/DeleteButton'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { IN_ONE_LINE } from '../parts/one-line'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { dateOf, Time } from '../parts/Time'
import { useMay } from '../session/me'
import { API_KEY_TEXTS as TEXTS } from '../texts/api-keys'
import { CreateApiKey } from './CreateApiKey'

type ApiKey = RowOf<'/api-keys'>
type Named = { id: string; name: string }

export default function ApiKeysPage() {
  const may = useMay()
  const list = useRows('/api-keys')
  const { data: domains } = useRecord('/domains', {}, { isEnabled: may('domains:read') })
  const { data: grants } = useRecord('/oauth/grants', {}, { isEnabled: may('oauth:read') })
  /** Whether no other key of the team has full access. */
  const isLast = ({ permission }: ApiKey) =>
    permission === 'full_access' && list.rows.filter((key) => key.permission === 'full_access').length === 1
  const mayChange = may('api-keys:write')
  return (
    <Page title={TEXTS.title} acts={mayChange && <CreateApiKey />}>
      <DataList
        label={TEXTS.title}
        list={list}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name || TEXTS.unnamed}</bdi> },
          { name: TEXTS.permission, cell: (key) => <Permission apiKey={key} domains={domains?.data ?? []} /> },
          {
            name: TEXTS.lastUsed,
            cell: ({ last_used_at }) => (last_used_at === null ? <Dimmed>{TEXTS.never}</Dimmed> : <Time at={last_used_at} form="ago" />),
            isWide: true,
          },
          {
            name: TEXTS.created,
            cell: (key) => (
              <Stack gap={0}>
                <Time at={key.created_at} form="day" />
                <MadeBy apiKey={key} programs={grants?.data ?? []} />
              </Stack>
            ),
            isWide: true,
          },
          ...(mayChange || may('logs:read')
            ? [
                {
                  name: TEXTS.acts,
                  isActs: true,
                  cell: (key: ApiKey) => (
                    <Group gap="xs" display="inline-flex">
                      {may('logs:read') && (
                        <PageLink to="/logs" search={{ api_key_id: key.id }} style={IN_ONE_LINE}>
                          {TEXTS.requests}
                        </PageLink>
                      )}
                      {mayChange && <KeyActs apiKey={key} isLast={isLast(key)} />}
                    </Group>
                  ),
                },
              ]
            : []),
        ]}
      />
    </Page>
  )
}

function Permission({ apiKey: { permission, domain_id: domainId }, domains }: { apiKey: ApiKey; domains: readonly Named[] }) {
  const domain = domainId !== null && (domains.find(({ id }) => id === domainId)?.name ?? TEXTS.otherDomain)
  return (
    <Stack gap={0}>
      <Text size="sm">{TEXTS.permissions[permission][0]}</Text>
      {domain && <Dimmed>{TEXTS.from(domain)}</Dimmed>}
    </Stack>
  )
}

function MadeBy({
  apiKey: { oauth_grant_id: grantId, person },
  programs,
}: {
  apiKey: ApiKey
  programs: readonly RowOf<'/oauth/grants'>[]
}) {
  const who = person?.email ?? (person === null ? null : TEXTS.formerPerson)
  if (grantId === null) return <Dimmed>{who ?? TEXTS.noPerson}</Dimmed>
  const program = programs.find(({ id }) => id === grantId)?.client.name ?? TEXTS.aProgram
  return <Dimmed>{who === null ? program : TEXTS.programOf(program, who)}</Dimmed>
}

function KeyActs({ apiKey: { id, name, last_used_at }, isLast }: { apiKey: ApiKey; isLast: boolean }) {
  const path = { api_key_id: id }
  const known = name || TEXTS.unnamed
  return (
    <Group gap="xs" wrap="nowrap">
      <Rename id={id} name={name} />
      <DeleteButton
        name={TEXTS.remove}
        of={known}
        means={[
          last_used_at === null
            ? TEXTS.neverUsed
            : TEXTS.used(dateOf(last_used_at).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })),
          ...TEXTS.removeMeans,
          ...(isLast ? [TEXTS.lastOne] : []),
        ]}
        run={() => answer(api.DELETE('/api-keys/{api_key_id}', { params: { path } }))}
        done={TEXTS.removed(known)}
        changes={['api-keys']}
      />
    </Group>
  )
}

function Rename({ id, name }: { id: string; name: string }) {
  const rename = useDialogForm({
    initialValues: { name },
    run: (body: { name: string }) => answer(api.PATCH('/api-keys/{api_key_id}', { params: { path: { api_key_id: id } }, body })),
    done: TEXTS.renamed,
    changes: ['api-keys'],
  })
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={rename.open}>
        {TEXTS.rename}
      </Button>
      <FormDialog title={TEXTS.rename} {...rename.dialog}>
        <TextInput label={TEXTS.name} description={TEXTS.nameHint} data-autofocus {...rename.form.getInputProps('name')} />
      </FormDialog>
    </>
  )
}
