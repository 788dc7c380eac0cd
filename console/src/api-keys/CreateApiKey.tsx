import { Button, Radio, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { useRecord } from '../api/queries'
import { FormDialog } from '../parts/FormDialog'
import { SecretDialog } from '../parts/SecretDialog'
import { useMay } from '../session/me'
import { API_KEY_TEXTS as TEXTS } from '../texts/api-keys'

type NewKey = { name: string; permission: 'full_access' | 'sending_access'; domain_id: string | null }

export function CreateApiKey() {
  const [isOpen, dialog] = useDisclosure()
  const [token, setToken] = useState<string | null>(null)
  const may = useMay()
  const { data: domains } = useRecord('/domains', {}, { isEnabled: isOpen && may('domains:read') })
  const form = useForm<NewKey>({ initialValues: { name: '', permission: 'sending_access', domain_id: null } })
  const isSending = form.values.permission === 'sending_access'
  const create = useAct({
    run: ({ name, permission, domain_id }: NewKey) =>
      answer(api.POST('/api-keys', { body: { name, permission, ...(isSending && domain_id !== null && { domain_id }) } })),
    done: TEXTS.made,
    changes: ['api-keys'],
    isSilent: true,
    onDone: (key) => {
      dialog.close()
      form.reset()
      setToken(key.token)
    },
  })
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={dialog.open}>
        {TEXTS.create}
      </Button>
      <FormDialog
        title={TEXTS.create}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={create.mutate}
        error={create.error}
        isBusy={create.isPending}
        act={TEXTS.create}
      >
        <TextInput
          label={TEXTS.name}
          description={TEXTS.nameHint}
          required
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <Radio.Group label={TEXTS.permission} {...form.getInputProps('permission')}>
          <Stack gap="xs" mt="xs">
            {(['sending_access', 'full_access'] as const).map((value) => (
              <Radio key={value} value={value} label={TEXTS.permissions[value][0]} description={TEXTS.permissions[value][1]} />
            ))}
          </Stack>
        </Radio.Group>
        {isSending && (
          <Select
            label={TEXTS.domain}
            placeholder={TEXTS.allDomains}
            data={(domains?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            searchable
            clearable
            {...form.getInputProps('domain_id')}
          />
        )}
      </FormDialog>
      <SecretDialog title={TEXTS.token} secret={token} warning={TEXTS.tokenOnce} hint={TEXTS.tokenHint} onClose={() => setToken(null)} />
    </>
  )
}
