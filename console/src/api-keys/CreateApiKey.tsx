import { Button, Radio, Select, Stack, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { useRecord } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { SecretDialog } from '../parts/SecretDialog'
import { useMay } from '../session/me'
import { API_KEY_TEXTS as TEXTS } from '../texts/api-keys'

type NewKey = { name: string; permission: 'full_access' | 'sending_access'; domain_id: string | null }

export function CreateApiKey() {
  const [token, setToken] = useState<string | null>(null)
  const may = useMay()
  const create = useDialogForm({
    initialValues: { name: '', permission: 'sending_access', domain_id: null },
    run: ({ name, permission, domain_id }: NewKey) =>
      answer(
        api.POST('/api-keys', { body: { name, permission, ...(permission === 'sending_access' && domain_id !== null && { domain_id }) } }),
      ),
    done: TEXTS.made,
    changes: ['api-keys'],
    onDone: (key) => setToken(key.token),
    keepsTyped: true,
    command: 'create-key',
  })
  const { data: domains } = useRecord('/domains', {}, { isEnabled: create.isOpen && may('domains:read') })
  const isSending = create.form.values.permission === 'sending_access'
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={create.open}>
        {TEXTS.create}
      </Button>
      <FormDialog title={TEXTS.create} {...create.dialog} act={TEXTS.create}>
        <TextInput
          label={TEXTS.name}
          description={TEXTS.nameHint}
          required
          data-autofocus
          autoComplete="off"
          {...create.form.getInputProps('name')}
        />
        <Radio.Group label={TEXTS.permission} {...create.form.getInputProps('permission')}>
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
            data={(domains?.data ?? []).map(({ id, name, status }) => ({
              value: id,
              label: status === 'verified' || status.startsWith('partially_') ? name : TEXTS.unverified(name),
            }))}
            searchable
            clearable
            {...create.form.getInputProps('domain_id')}
          />
        )}
      </FormDialog>
      <SecretDialog title={TEXTS.token} secret={token} warning={TEXTS.tokenOnce} hint={TEXTS.tokenHint} onClose={() => setToken(null)} />
    </>
  )
}
