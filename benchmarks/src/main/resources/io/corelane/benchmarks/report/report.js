'use strict';
(() => {
  const report = JSON.parse(document.getElementById('data').textContent);
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue('--ink').trim();
  const rule = style.getPropertyValue('--rule').trim();
  const palette = ['#0969da', '#bf8700', '#1a7f37', '#8250df', '#d1242f', '#57606a', '#0a9396', '#bc4c00', '#e85aad', '#6e7781'];
  const ours = subject => subject.startsWith('corelane');
  Chart.defaults.color = ink;
  Chart.defaults.borderColor = rule;
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;

  const withFigures = line => line.subjects.filter(s => s.forks > 0);
  const byId = id => document.getElementById(id);
  const element = (parent, name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    parent.append(made);
    return made;
  };
  const number = value => {
    if (!value) return '0';
    const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
    return value.toFixed(Math.min(6, decimals));
  };
  const table = (id, head, rows) => fill(byId(id), head, rows);
  const fill = (made, head, rows) => {
    if (head.length) {
      const line = element(element(made, 'thead'), 'tr');
      head.forEach(cell => Array.isArray(cell) ? element(line, 'th', cell[0], cell[1]) : element(line, 'th', cell));
    }
    const body = element(made, 'tbody');
    rows.forEach(cells => {
      const line = element(body, 'tr');
      cells.forEach(cell => Array.isArray(cell) ? element(line, 'td', cell[0], cell[1]) : element(line, 'td', cell));
    });
  };
  const figure = (parent, title, height) => {
    const made = element(parent, 'figure');
    element(made, 'h3', title);
    const box = element(made, 'div', undefined, 'canvas');
    box.style.height = height + 'px';
    const canvas = element(box, 'canvas');
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', title);
    return canvas;
  };
  const late = line => ['LATENCY', 'NEIGHBOUR'].includes(line.row.kind);
  const percentiles = [50, 90, 99, 99.9, 99.99, 100];
  const figures = (canvas, line) => {
    const direct = line.row.subjects.includes('direct');
    const head = [line.unit, 'lowest – highest JVM', ...(late(line) ? percentiles.map(p => p === 100 ? 'max' : 'p' + p) : []),
      ...Object.values(line.costs), ...(direct ? ['of direct'] : []), 'JVMs'];
    const cell = value => [value === undefined ? '–' : number(value), 'n'];
    const made = element(canvas.closest('figure'), 'details');
    element(made, 'summary', 'Figures');
    fill(element(element(made, 'div', undefined, 'wide'), 'table'), ['subject', ...head.map(text => [text, 'n'])],
      withFigures(line).map(s => [s.subject, cell(s.median), [number(s.lowest) + ' – ' + number(s.highest), 'n'],
        ...(late(line) ? percentiles.map(p => cell(s.curve.find(point => point.percentile === p)?.micros)) : []),
        ...Object.keys(line.costs).map(cost => cell(s.costs[cost])), ...(direct ? [ratio(s.ofDirect)] : []), [String(s.forks), 'n']]));
  };

  byId('intro').textContent = `Profile ${report.profile.name}, ${report.profile.repetitions} JVMs for each subject and row, `
      + `${report.machine.date}, commit ${report.machine.commit}, ${report.machine.CPU}, ${report.machine.JDK}.`;
  byId('noise').textContent = report.machine.noise || '';
  byId('repeat').textContent = report.command;
  table('machine', [], Object.entries(report.machine));
  table('raw', ['step', 'ns'], Object.entries(report.rawCosts).map(([step, nanos]) => [step, [number(nanos), 'n']]));
  const verdicts = { ONE_JVM: 'one JVM' };
  const ratio = value => [value ? value.toFixed(2) : '–', 'n'];
  table('ratios', ['row', 'ours', 'best peer', ['ratio', 'n'], ['of direct', 'n'], ''], report.lines.map(line => [
    line.row.title, line.row.subjects[0], line.bestPeer || '–', ratio(line.ratio), ratio(line.ofDirect),
    [verdicts[line.verdict] || line.verdict.toLowerCase(), line.verdict.toLowerCase()]]));
  const trouble = report.lines.flatMap(line => line.subjects.filter(s => s.trouble).map(s => [line.row.title, s.subject, s.trouble]));
  table('trouble', trouble.length ? ['row', 'subject', 'why'] : [], trouble.length ? trouble : [['everything was']]);

  const charts = [];
  for (const line of report.lines.filter(l => !late(l))) {
    const subjects = withFigures(line);
    const section = byId(line.higherIsBetter ? 'throughput' : 'steps');
    const canvas = figure(section, `${line.row.title} (${line.unit})`, 60 + 26 * subjects.length);
    figures(canvas, line);
    charts.push(new Chart(canvas, {
      type: 'bar',
      data: {
        labels: subjects.map(s => s.subject),
        datasets: [
          { label: 'lowest to highest', data: subjects.map(s => [s.lowest, s.highest]), backgroundColor: ink, barThickness: 3,
            minBarLength: 2, grouped: false, order: 0 },
          { label: 'median', data: subjects.map(s => s.median), barThickness: 16, grouped: false, order: 1,
            backgroundColor: subjects.map(s => ours(s.subject) ? palette[0] : palette[9]) }]
      },
      options: {
        indexAxis: 'y',
        scales: { x: { beginAtZero: true }, y: { ticks: { autoSkip: false } } },
        plugins: { legend: { display: false } }
      }
    }));
  }

  const tail = percentile => 1 / (1 - Math.min(percentile, 99.9999) / 100);
  const named = [50, 90, 99, 99.9, 99.99, 99.999];
  for (const line of report.lines.filter(late)) {
    const canvas = figure(byId('latency'), `${line.row.title} (us)`, 340);
    figures(canvas, line);
    charts.push(new Chart(canvas, {
      type: 'line',
      data: {
        datasets: withFigures(line).map((s, i) => ({
          label: s.subject,
          data: s.curve.filter(p => p.percentile < 100).map(p => ({ x: tail(p.percentile), y: Math.max(p.micros, 0.01) })),
          borderColor: palette[i % palette.length], backgroundColor: palette[i % palette.length], borderWidth: ours(s.subject) ? 3 : 1.5,
          pointRadius: 2, borderDash: s.subject === 'direct' ? [5, 4] : []
        }))
      },
      options: {
        scales: {
          x: { type: 'logarithmic', min: 1, title: { display: true, text: 'percentile' },
            afterBuildTicks: axis => { axis.ticks = named.map(p => ({ value: tail(p) })).filter(t => t.value <= axis.max * 1.01); },
            ticks: { autoSkip: false, maxRotation: 60,
              callback: value => 'p' + Number((100 * (1 - 1 / value)).toFixed(3)) } },
          y: { type: 'logarithmic', title: { display: true, text: 'us' } }
        },
        plugins: { legend: { position: 'bottom', labels: { boxWidth: 12 } } }
      }
    }));
  }

  const empty = report.lines.filter(l => l.row.kind === 'EXECUTE' && l.row.jobNanos === 0);
  const scaling = (title, axis, lines) => {
    const counts = [...new Set(lines.map(l => l.row[axis]))].sort((a, b) => a - b);
    if (counts.length < 2) return;
    const subjects = [...new Set(lines.flatMap(l => withFigures(l).map(s => s.subject)))]
        .filter(name => lines.filter(l => withFigures(l).some(s => s.subject === name)).length > 1);
    const canvas = figure(byId('scaling'), title, 320);
    charts.push(new Chart(canvas, {
      type: 'line',
      data: {
        labels: counts,
        datasets: subjects.map((name, i) => ({
          label: name,
          data: counts.map(count => {
            const line = lines.find(l => l.row[axis] === count);
            const found = withFigures(line).find(s => s.subject === name);
            return found ? found.median : null;
          }),
          spanGaps: true, borderColor: palette[i % palette.length], backgroundColor: palette[i % palette.length],
          borderWidth: ours(name) ? 3 : 1.5
        }))
      },
      options: {
        scales: { x: { title: { display: true, text: axis } },
          y: { beginAtZero: true, title: { display: true, text: 'million jobs/s' } } },
        plugins: { legend: { position: 'bottom', labels: { boxWidth: 12 } } }
      }
    }));
  };
  if (empty.length) {
    const first = empty[0].row;
    scaling('Empty jobs by producers', 'producers', empty.filter(l => l.row.workers === first.workers));
    scaling('Empty jobs by workers', 'workers', empty.filter(l => l.row.producers === first.producers));
  }
  if (!byId('scaling').children.length) element(byId('scaling'), 'p', 'This profile has one number of producers and workers only.', 'note');

  // What a test can ask for: how many canvases there are, how many have something on them, how many lines of figures.
  const drawn = charts.filter(chart => {
    const { width, height } = chart.canvas;
    return width > 0 && height > 0
        && chart.canvas.getContext('2d').getImageData(0, 0, width, height).data.some(byte => byte !== 0);
  }).length;
  Object.assign(document.documentElement.dataset, {
    charts: charts.length, drawn, figures: document.querySelectorAll('details tbody tr').length, width: innerWidth,
    overflow: document.documentElement.scrollWidth > innerWidth
  });
})();
