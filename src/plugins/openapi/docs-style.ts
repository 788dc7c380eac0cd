// The style of /docs, on top of that of Swagger UI: operations that are shorter, and fit on a phone.
export const DOCS_STYLE = `
.swagger-ui :is(a, button, summary, select, .opblock-summary-control):focus-visible { outline: 2px solid #4990e2; outline-offset: 2px; }
.swagger-ui .pages { display: flex; gap: 1.25rem; padding-top: 1.25rem; font: 600 1rem sans-serif; }
.swagger-ui .pages a { color: #2f6fc0; } html.dark-mode .swagger-ui .pages a { color: #51a8ff; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .scheme-container { padding: 1rem 0; }

/* There is one server, one media type, and no link: choices of one are left out. */
.swagger-ui .scheme-container .schemes > .schemes-server-container, .swagger-ui .response-controls, .swagger-ui .response-col_links { display: none; }
.swagger-ui .scheme-container .schemes { justify-content: flex-end; }

.swagger-ui .opblock-description-wrapper { padding-block: .75rem; margin: 0; }
.swagger-ui .parameters-container, .swagger-ui .responses-inner { padding-block: .75rem; }
.swagger-ui .opblock-body .execute-wrapper { padding-block: .75rem; }
.swagger-ui .table-container { padding-block: .25rem; }
.swagger-ui textarea { min-height: 4rem; max-height: 24rem; field-sizing: content; }
.swagger-ui .model-example .highlight-code > .microlight { max-height: 20rem; }

.swagger-ui table.responses-table .error-line td { padding: .1rem 0; vertical-align: top; line-height: 1.4; }
.swagger-ui table.responses-table .error-line .response-col_status { padding-top: .25rem; }
.swagger-ui .error-line button { border: 0; padding: .15rem 0 .15rem 1.1em; background: none; color: inherit; font: 14px/1.4 sans-serif; text-align: start; cursor: pointer; }
.swagger-ui .error-line button::before { content: '\\25b8'; display: inline-block; width: 1.1em; margin-inline-start: -1.1em; }
.swagger-ui .error-line button[aria-expanded=true]::before { content: '\\25be'; }
/* Code and description stand on the line above. */
.swagger-ui .opened-error .response-col_status > *, .swagger-ui .opened-error .response-col_description__inner { display: none; }
.swagger-ui .opened-error .response-col_status { font-size: 0; }
.swagger-ui .opened-error td { padding-top: 0; }
.swagger-ui .folded-headers { margin-top: .5rem; }
.swagger-ui .folded-headers summary { font: 14px sans-serif; cursor: pointer; }
.swagger-ui .folded-headers .headers__title { display: none; }
html.dark-mode .swagger-ui :is(.error-line, .folded-headers summary, .header-col) { color: #e4e6e6; }

@media (max-width: 44rem) {
  .swagger-ui .wrapper { padding: 0 .75rem; }
  .swagger-ui .info .title { font-size: 1.75rem; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; padding-inline: 0; } .swagger-ui .opblock-tag small { flex: 1 0 100%; order: 1; padding: 0; }
  .swagger-ui .opblock .opblock-summary-control { flex-wrap: wrap; row-gap: .25rem; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; flex: 1; }
  .swagger-ui .opblock .opblock-summary-description { flex: 1 0 100%; }
  .swagger-ui .opblock .tab-header .tab-item.active h4 span::after { display: none; }
  .swagger-ui :is(table.parameters :is(tbody, tr, td), tr.parameters, tr.parameters > td) { display: block; width: auto; max-width: none; padding-inline: 0; }
  .swagger-ui table.parameters thead { display: none; }
  .swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; gap: .5rem; padding: .5rem .75rem; }
  .swagger-ui .responses-wrapper .opblock-section-header { padding-inline: .75rem; }
  .swagger-ui .response-col_status { min-width: 3rem; }
}
`
