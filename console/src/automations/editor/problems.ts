// What is missing before steps can be saved, step by step: what the page knows by itself, and what the API refused.
import { STEP_PROBLEMS as TEXTS } from '../../texts/automation-editor'
import { type Graph, type Rule, type Step, stepsInOrder } from '../graph'
import { type Known, templateNamed } from './known'

/** By the key of the step; the empty key has what is about none. */
export type Problems = ReadonlyMap<string, readonly string[]>

export function findProblems(graph: Graph, known: Known): Problems {
  const reached = new Set(stepsInOrder(graph).map(({ key }) => key))
  const problems = graph.steps.map((step): [string, string[]] => {
    const own = problemOf(step, known)
    const isAlone = step.type === 'trigger' && graph.steps.length === 1
    return [
      step.key,
      [...(own === null ? [] : [own]), ...(reached.has(step.key) ? [] : [TEXTS.unreached]), ...(isAlone ? [TEXTS.onlyTrigger] : [])],
    ]
  })
  return new Map(problems.filter(([, some]) => some.length > 0))
}

function problemOf(step: Step, known: Known): string | null {
  switch (step.type) {
    case 'trigger':
      return step.config.event_name.trim() ? null : TEXTS.noTrigger
    case 'send_email':
      return emailProblem(step.config, known)
    case 'delay':
      return step.config.duration.trim() ? null : TEXTS.noDuration
    case 'wait_for_event':
      return step.config.event_name.trim() ? null : TEXTS.noEvent
    case 'condition':
      if (step.config.type !== 'rule' && step.config.rules.length === 0) return TEXTS.noRule
      return lacksValue(step.config) ? TEXTS.noValue : null
    case 'contact_update': {
      const { properties, ...fields } = step.config
      return Object.keys({ ...fields, ...properties }).length === 0 ? TEXTS.noChange : null
    }
    case 'contact_delete':
      return null
    case 'add_to_segment':
      if (!step.config.segment_id) return TEXTS.noSegment
      return known.isComplete.segments && !known.segments.some(({ id }) => id === step.config.segment_id) ? TEXTS.goneSegment : null
  }
}

/** A value that was not typed yet. */
const lacksValue = (rule: Rule): boolean => (rule.type === 'rule' ? rule.value === '' : rule.rules.some(lacksValue))

function emailProblem({ template: { id: name }, topic_id }: Extract<Step, { type: 'send_email' }>['config'], known: Known): string | null {
  if (!name) return TEXTS.noTemplate
  const template = templateNamed(known, name)
  if (!template && known.isComplete.templates) return TEXTS.goneTemplate
  if (template?.status === 'draft') return TEXTS.draftTemplate
  return topic_id && known.isComplete.topics && !known.topics.some(({ id }) => id === topic_id) ? TEXTS.goneTopic : null
}

/** The step that a sentence of the API is about, and the rest of the sentence. The API writes keys as JSON, and cuts long ones. */
export function refusalOf(sentence: string, { steps }: Graph): { key: string; problem: string } {
  const [, quoted, problem] = /^Step ("(?:[^"\\]|\\.)*"(?:\.\.\.)?): (.*)$/s.exec(sentence) ?? []
  if (quoted === undefined || problem === undefined) return { key: '', problem: sentence }
  const isCut = quoted.endsWith('...')
  const name = textIn(isCut ? quoted.slice(0, -'...'.length) : quoted)
  const key = steps.find((step) => (isCut ? step.key.startsWith(name) : step.key === name))?.key
  return key === undefined ? { key: '', problem: sentence } : { key, problem: inForm(problem) }
}

/** People who fill in a form do not know the names that its fields have in a program. */
const inForm = (problem: string): string =>
  problem.replace(/^The `config\.[^`]*` field /, 'This ').replace(/^./, (first) => first.toUpperCase())

function textIn(json: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    return ''
  }
}
