import { NumberInput, Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { FormDialog } from '../parts/FormDialog'
import { wordsOf } from '../parts/StateBadge'
import { AUTOMATION_TEXTS, AUTOMATION_ACT_TEXTS as TEXTS } from '../texts/automations'

type Automation = RecordOf<'/automations/{automation_id}'>
type Values = { name: string; class: Automation['class']; reentry: Automation['reentry']; runsMax: number | string }

const CLASSES: readonly Automation['class'][] = ['transactional', 'bulk']
const REENTRIES: readonly Automation['reentry'][] = ['always', 'once', 'not_while_running']
const NAME_LENGTH_MAX = 100

/** Everything but its steps. */
export function SettingsDialog({ automation, isOpen, onClose }: { automation: Automation; isOpen: boolean; onClose: () => void }) {
  const form = useForm<Values>({
    initialValues: {
      name: automation.name,
      class: automation.class,
      reentry: automation.reentry,
      runsMax: automation.max_runs_per_contact ?? '',
    },
  })
  const save = useAct({
    run: ({ name, class: kind, reentry, runsMax }: Values) =>
      answer(
        api.PATCH('/automations/{automation_id}', {
          params: { path: { automation_id: automation.id } },
          body: { name, class: kind, reentry, max_runs_per_contact: runsMax === '' ? null : Number(runsMax) },
        }),
      ),
    done: TEXTS.saved,
    changes: ['automations'],
    onDone: () => {
      form.resetDirty()
      onClose()
    },
    isSilent: true,
  })
  return (
    <FormDialog
      title={TEXTS.edit}
      isOpen={isOpen}
      onClose={onClose}
      form={form}
      onSubmit={save.mutate}
      error={save.error}
      isBusy={save.isPending}
    >
      <TextInput label={TEXTS.name} required maxLength={NAME_LENGTH_MAX} {...form.getInputProps('name')} />
      <Select
        label={TEXTS.class}
        data={CLASSES.map((value) => ({ value, label: wordsOf(value) }))}
        allowDeselect={false}
        {...form.getInputProps('class')}
      />
      <Select
        label={TEXTS.reentry}
        data={REENTRIES.map((value) => ({ value, label: AUTOMATION_TEXTS.reentries[value] ?? value }))}
        allowDeselect={false}
        {...form.getInputProps('reentry')}
      />
      <NumberInput label={TEXTS.runsMax} description={TEXTS.runsMaxHint} min={1} {...form.getInputProps('runsMax')} />
    </FormDialog>
  )
}
