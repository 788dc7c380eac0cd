import { Button, Collapse, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Plus } from 'lucide-react'
import { answer, api } from '../api/client'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { useGo } from '../shell/address'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'
import { type DomainSettings, PurposeFields, settingsBody, TrackingFields } from './DomainFields'

type NewDomain = DomainSettings & { name: string; custom_return_path: string }

export function AddDomain() {
  const [isMore, more] = useDisclosure()
  const go = useGo()
  const add = useDialogForm({
    initialValues: {
      name: '',
      custom_return_path: '',
      sending: true,
      receiving: false,
      open_tracking: false,
      click_tracking: false,
      tracking_subdomain: '',
      tls: 'opportunistic',
    },
    run: ({ name, custom_return_path, ...settings }: NewDomain) =>
      answer(
        api.POST('/domains', {
          body: { name: name.trim(), ...(custom_return_path.trim() !== '' && { custom_return_path }), ...settingsBody(settings) },
        }),
      ),
    keepsTyped: true,
    command: 'add-domain',
    done: TEXTS.added,
    changes: ['domains'],
    onDone: ({ id }) => go(`/domains/${id}`),
  })
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={add.open}>
        {TEXTS.add}
      </Button>
      <FormDialog title={TEXTS.add} {...add.dialog} act={TEXTS.add}>
        <TextInput
          label={TEXTS.name}
          description={TEXTS.nameHint}
          required
          data-autofocus
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          inputMode="url"
          {...add.form.getInputProps('name')}
        />
        <PurposeFields form={add.form} />
        <Button variant="subtle" size="compact-sm" w="fit-content" onClick={more.toggle} aria-expanded={isMore}>
          {TEXTS.more}
        </Button>
        <Collapse expanded={isMore}>
          <Stack>
            <TextInput
              label={TEXTS.returnPath}
              description={TEXTS.returnPathHint}
              placeholder="send"
              {...add.form.getInputProps('custom_return_path')}
            />
            <TrackingFields form={add.form} />
          </Stack>
        </Collapse>
      </FormDialog>
    </>
  )
}
