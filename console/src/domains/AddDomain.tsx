import { Button, Collapse, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { Plus } from 'lucide-react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { FormDialog } from '../parts/FormDialog'
import { useGo } from '../shell/address'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'
import { type DomainSettings, PurposeFields, settingsBody, TrackingFields } from './DomainFields'

type NewDomain = DomainSettings & { name: string; custom_return_path: string }

export function AddDomain() {
  const [isOpen, dialog] = useDisclosure()
  const [isMore, more] = useDisclosure()
  const go = useGo()
  const form = useForm<NewDomain>({
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
  })
  const add = useAct({
    run: ({ name, custom_return_path, ...settings }: NewDomain) =>
      answer(
        api.POST('/domains', {
          body: { name: name.trim(), ...(custom_return_path.trim() !== '' && { custom_return_path }), ...settingsBody(settings) },
        }),
      ),
    done: TEXTS.added,
    changes: ['domains'],
    isSilent: true,
    onDone: ({ id }) => go(`/domains/${id}`),
  })
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={dialog.open}>
        {TEXTS.add}
      </Button>
      <FormDialog
        title={TEXTS.add}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={add.mutate}
        error={add.error}
        isBusy={add.isPending}
        act={TEXTS.add}
      >
        <TextInput
          label={TEXTS.name}
          description={TEXTS.nameHint}
          required
          data-autofocus
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          inputMode="url"
          {...form.getInputProps('name')}
        />
        <PurposeFields form={form} />
        <Button variant="subtle" size="compact-sm" w="fit-content" onClick={more.toggle} aria-expanded={isMore}>
          {TEXTS.more}
        </Button>
        <Collapse expanded={isMore}>
          <Stack>
            <TextInput
              label={TEXTS.returnPath}
              description={TEXTS.returnPathHint}
              placeholder="send"
              {...form.getInputProps('custom_return_path')}
            />
            <TrackingFields form={form} />
          </Stack>
        </Collapse>
      </FormDialog>
    </>
  )
}
