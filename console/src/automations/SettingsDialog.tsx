import { NumberInput, Select, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
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
  const save = useDialogForm({
    initialValues: {
      name: automation.name,
      class: automation.class,
      reentry: automation.reentry,
      runsMax: automation.max_runs_per_contact ?? '',
    },
    run: ({ name, class: kind, reentry, runsMax }: Values) =>
      answer(
        api.PATCH('/automations/{automation_id}', {
          params: { path: { automation_id: automation.id } },
          body: { name, class: kind, reentry, max_runs_per_contact: runsMax === '' ? null : Number(runsMax) },
        }),
      ),
    done: TEXTS.saved,
    changes: ['automations'],
    onDone: onClose,
  })
  return (
    <FormDialog title={TEXTS.edit} {...save.dialog} isOpen={isOpen} onClose={onClose}>
      <TextInput label={TEXTS.name} required maxLength={NAME_LENGTH_MAX} {...save.form.getInputProps('name')} />
      <Select
        label={TEXTS.class}
        data={CLASSES.map((value) => ({ value, label: wordsOf(value) }))}
        allowDeselect={false}
        {...save.form.getInputProps('class')}
      />
      <Select
        label={TEXTS.reentry}
        data={REENTRIES.map((value) => ({ value, label: AUTOMATION_TEXTS.reentries[value] ?? value }))}
        allowDeselect={false}
        {...save.form.getInputProps('reentry')}
      />
      <NumberInput label={TEXTS.runsMax} description={TEXTS.runsMaxHint} min={1} {...save.form.getInputProps('runsMax')} />
    </FormDialog>
  )
}
