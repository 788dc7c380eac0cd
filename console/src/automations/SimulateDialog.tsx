import { ActionIcon, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { Trash2 } from 'lucide-react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { FormDialog } from '../parts/FormDialog'
import { AUTOMATION_ACT_TEXTS, SIMULATION_TEXTS as TEXTS } from '../texts/automations'
import { SHELL_TEXTS } from '../texts/shell'
import { SimulationResult } from './SimulationResult'

type Values = { email: string; payload: string; events: { event: string; after: string }[] }

/** What the automation would do for someone, before it does so for everyone. */
export function SimulateDialog({ automationId }: { automationId: string }) {
  const [isOpen, dialog] = useDisclosure()
  const form = useForm<Values>({ initialValues: { email: '', payload: '', events: [] }, validate: { payload: problemIn } })
  const simulate = useAct({
    run: ({ email, payload, events }: Values) =>
      answer(
        api.POST('/automations/{automation_id}/simulate', {
          params: { path: { automation_id: automationId } },
          body: {
            email: email.trim(),
            payload: payload.trim() === '' ? null : (JSON.parse(payload) as Record<string, never>),
            events,
          },
        }),
      ),
    changes: [],
    onDone: () => form.resetDirty(),
    isSilent: true,
  })
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        {TEXTS.open}
      </Button>
      <FormDialog
        title={TEXTS.title}
        act={TEXTS.run}
        size="xl"
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={simulate.mutate}
        error={simulate.error}
        isBusy={simulate.isPending}
      >
        <Text size="sm" c="dimmed">
          {TEXTS.hint}
        </Text>
        <TextInput label={TEXTS.email} description={TEXTS.emailHint} required data-autofocus {...form.getInputProps('email')} />
        <Textarea label={TEXTS.payload} placeholder="{}" autosize minRows={2} ff="monospace" {...form.getInputProps('payload')} />
        <Stack gap="xs">
          {form.values.events.map((_event, index) => (
            <Group key={form.key(`events.${index}`)} align="flex-end" gap="xs">
              <TextInput label={TEXTS.event} required flex={1} {...form.getInputProps(`events.${index}.event`)} />
              <TextInput label={TEXTS.after} placeholder="1 hour" required w={140} {...form.getInputProps(`events.${index}.after`)} />
              <ActionIcon variant="default" size={36} aria-label={SHELL_TEXTS.remove} onClick={() => form.removeListItem('events', index)}>
                <Trash2 size={16} />
              </ActionIcon>
            </Group>
          ))}
          <Group>
            <Button variant="default" size="xs" onClick={() => form.insertListItem('events', { event: '', after: '' })}>
              {TEXTS.add}
            </Button>
          </Group>
        </Stack>
        {simulate.data && <SimulationResult simulation={simulate.data} />}
      </FormDialog>
    </>
  )
}

function problemIn(text: string): string | null {
  if (text.trim() === '') return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return AUTOMATION_ACT_TEXTS.notJson((error as Error).message)
  }
}
