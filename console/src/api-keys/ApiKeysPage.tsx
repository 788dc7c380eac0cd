import { Button, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RowOf, useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { DeleteButton } from '../parts/DeleteButton'
import { FormDialog } from '../parts/FormDialog'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { dateOf, Time } from '../parts/Time'
import { useMay } from '../session/me'
import { API_KEY_TEXTS as TEXTS } from '../texts/api-keys'
import { CreateApiKey } from './CreateApiKey'

type ApiKey = RowOf<'/api-keys'>

export default function ApiKeysPage() {
  const may = useMay()
  const list = useRows('/api-keys')
  const mayChange = may('api-keys:write')
  return (
    <Page title={TEXTS.title} acts={mayChange && <CreateApiKey />}>
      <DataList
        label={TEXTS.title}
        list={list}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name || TEXTS.unnamed}</bdi> },
          {
            name: TEXTS.lastUsed,
            cell: ({ last_used_at }) => (last_used_at === null ? <Dimmed>{TEXTS.never}</Dimmed> : <Time at={last_used_at} form="ago" />),
          },
          { name: TEXTS.created, cell: ({ created_at }) => <Time at={created_at} form="day" />, isWide: true },
          ...(may('logs:read')
            ? [
                {
                  name: TEXTS.requests,
                  cell: ({ id }: ApiKey) => (
                    <PageLink to="/logs" search={{ api_key_id: id }}>
                      {TEXTS.requests}
                    </PageLink>
                  ),
                  isWide: true,
                },
              ]
            : []),
          ...(mayChange ? [{ name: TEXTS.acts, cell: (key: ApiKey) => <KeyActs apiKey={key} /> }] : []),
        ]}
      />
    </Page>
  )
}

function KeyActs({ apiKey: { id, name, last_used_at } }: { apiKey: ApiKey }) {
  const path = { api_key_id: id }
  return (
    <Group gap="xs">
      <Rename id={id} name={name} />
      <DeleteButton
        name={TEXTS.remove}
        size="compact-sm"
        means={[
          TEXTS.used(
            last_used_at === null ? TEXTS.never : dateOf(last_used_at).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' }),
          ),
          ...TEXTS.removeMeans,
        ]}
        run={() => answer(api.DELETE('/api-keys/{api_key_id}', { params: { path } }))}
        done={TEXTS.removed}
        changes={['api-keys']}
      />
    </Group>
  )
}

function Rename({ id, name }: { id: string; name: string }) {
  const [isOpen, dialog] = useDisclosure()
  const form = useForm({ initialValues: { name } })
  const rename = useAct({
    run: (body: { name: string }) => answer(api.PATCH('/api-keys/{api_key_id}', { params: { path: { api_key_id: id } }, body })),
    done: TEXTS.renamed,
    changes: ['api-keys'],
    isSilent: true,
    onDone: dialog.close,
  })
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={dialog.open}>
        {TEXTS.rename}
      </Button>
      <FormDialog
        title={TEXTS.rename}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={rename.mutate}
        error={rename.error}
        isBusy={rename.isPending}
      >
        <TextInput label={TEXTS.name} description={TEXTS.nameHint} data-autofocus {...form.getInputProps('name')} />
      </FormDialog>
    </>
  )
}
