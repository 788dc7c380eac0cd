import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RowOf, useRows } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { DataList, Dimmed } from '../parts/DataList'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { ACCOUNT_TEXTS as TEXTS } from '../texts/account'
import { addPasskey, deviceName, knowsPasskeys } from './passkey'

type Passkey = RowOf<'/me/passkeys'>

export function Passkeys() {
  const passkeys = useRows('/me/passkeys')
  return (
    <Section title={TEXTS.passkeys} acts={knowsPasskeys() && <AddPasskey />}>
      <Text c="dimmed" size="sm">
        {TEXTS.passkeysWhat} {!knowsPasskeys() && TEXTS.noSupport}
      </Text>
      <DataList
        label={TEXTS.passkeys}
        list={passkeys}
        empty={TEXTS.noPasskeys}
        columns={[
          { name: TEXTS.name, cell: (passkey) => <Name passkey={passkey} /> },
          { name: TEXTS.added, cell: ({ created_at: at, browser }) => <Added at={at} browser={browser} />, isWide: true },
          {
            name: TEXTS.lastUsed,
            cell: ({ last_used_at: at }) => (at === null ? <Dimmed>{TEXTS.never}</Dimmed> : <Time at={at} form="ago" />),
          },
          { name: TEXTS.removePasskey, cell: (passkey) => <Remove passkey={passkey} /> },
        ]}
      />
    </Section>
  )
}

const Name = ({ passkey: { name, is_usable: isUsable, host } }: { passkey: Passkey }) => (
  <Stack gap={0}>
    <bdi>{name}</bdi>
    {!isUsable && <Dimmed>{TEXTS.elsewhere(host)}</Dimmed>}
  </Stack>
)

const Added = ({ at, browser }: { at: string; browser: string }) => (
  <Stack gap={0}>
    <Time at={at} />
    <Dimmed>{browser}</Dimmed>
  </Stack>
)

function AddPasskey() {
  const add = useDialogForm({
    initialValues: { name: deviceName() },
    run: ({ name }: { name: string }) => addPasskey(name),
    keepsTyped: true,
    command: 'add-passkey',
    done: TEXTS.passkeyAdded,
    changes: ['me'],
  })
  return (
    <>
      <Button size="xs" onClick={add.open}>
        {TEXTS.addPasskey}
      </Button>
      <FormDialog title={TEXTS.addPasskey} {...add.dialog} act={TEXTS.addPasskey}>
        <TextInput label={TEXTS.passkeyName} required data-autofocus {...add.form.getInputProps('name')} />
      </FormDialog>
    </>
  )
}

function Remove({ passkey: { id, name } }: { passkey: Passkey }) {
  const remove = useAct({
    run: () => answer(api.DELETE('/me/passkeys/{passkey_id}', { params: { path: { passkey_id: id } } })),
    done: TEXTS.passkeyRemoved,
    changes: ['me'],
  })
  return (
    <ConfirmButton
      name={TEXTS.removePasskey}
      label={`${TEXTS.removePasskey}: ${name}`}
      question={TEXTS.removePasskeyQuestion(name)}
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      size="compact-sm"
    />
  )
}
