// Whether the installation is well: its parts, workers, disk, versions and partitions.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { PartitionedTable } from '../../db/health.repository.ts'
import { operatorPage } from './operator-page.ts'

export type HealthView = {
  isReady: boolean
  checks: Record<string, string>
  workers: { id: string; beat: string; held: number }[]
  freeBytes: number | null
  versions: { name: string; version: string }[]
  partitions: PartitionedTable[]
}

export const healthPage = (view: HealthView): string =>
  operatorPage({
    place: 'Health',
    main: html`<div class="head"><h1>Health</h1></div>
<section class="sheet" aria-labelledby="parts"><h2 id="parts">This process</h2><p><span class="state ${view.isReady ? 'delivered' : 'failed'}">${view.isReady ? 'ready' : 'not ready'}</span></p>
<dl>${Object.entries(view.checks).map(([name, state]) => html`<dt>${name}</dt><dd>${state}</dd>`)}
<dt>free disk</dt><dd>${view.freeBytes === null ? 'not known' : bytesWords(view.freeBytes)}</dd>
${view.versions.map(({ name, version }) => html`<dt>${name}</dt><dd>${version}</dd>`)}</dl></section>
<section class="sheet" aria-labelledby="workers"><h2 id="workers">Workers</h2>${workers(view)}</section>
<section class="sheet" aria-labelledby="partitions"><h2 id="partitions">Partitions</h2>${partitions(view)}</section>`,
  })

const workers = ({ workers: rows }: HealthView): SafeHtml =>
  rows.length === 0
    ? html`<p class="wrong">No worker is running: nothing is sent.</p>`
    : html`<table class="list"><thead><tr><th scope="col">Worker</th><th scope="col">Beats</th><th scope="col">Holds</th></tr></thead>
<tbody>${rows.map(({ id, beat, held }) => html`<tr><th scope="row" class="code">${id}</th><td><span class="only-slim">beats </span>${Number(beat).toLocaleString('en')}</td><td><span class="only-slim">holds </span>${held.toLocaleString('en')} ${held === 1 ? 'delivery' : 'deliveries'}</td></tr>`)}</tbody></table>`

const partitions = ({ partitions: rows }: HealthView): SafeHtml =>
  html`<table class="list"><thead><tr><th scope="col">Table</th><th scope="col">Days</th><th scope="col">Size</th></tr></thead>
<tbody>${rows.map(({ table, count, first, last, bytes }) => html`<tr><th scope="row">${table}<div class="soft">${first} to ${last}</div></th><td>${count} <span class="only-slim">days</span></td><td>${bytesWords(bytes)}</td></tr>`)}</tbody></table>`

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

function bytesWords(bytes: number): string {
  const place = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1_000 ** place).toLocaleString('en', { maximumFractionDigits: 1 })} ${UNITS[place] ?? ''}`
}
