/*
 * Copyright 2026 the lock-spring-boot-starter authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.lockspring.simulator.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.lockspring.simulator.history.Disturbances.Disturbance;
import io.github.lockspring.simulator.history.LockFact.Mode;

/**
 * Picture of a short history as SVG: a lane for each worker of each process, a thin line
 * while a request waits, a bar while a claim is held, in the color of its key and lighter
 * if it is shared, and marks where losses were told. Faults of the store are shades
 * behind all lanes, with their names above; pauses and ends of processes are shades
 * behind their lanes. A legend explains that. Each element has a title.
 */
public final class HistoryPicture {

	private static final int LEFT = 110;

	private static final int WIDTH = 1000;

	/**
	 * Height above the lanes: the legend, and rows for the names of faults.
	 */
	private static final int TOP = 74;

	private static final int NAME_ROWS = 3;

	private static final String FAULT_COLOR = "#fdd";

	private static final String ENDED_COLOR = "#ddd";

	private static final int LANE = 16;

	private final IndexedHistory history;

	private final Map<String, Integer> lanes = new LinkedHashMap<>();

	private final Map<String, Integer> hues = new LinkedHashMap<>();

	private final List<String> elements = new ArrayList<>();

	private final long begin;

	private final double scale;

	/**
	 * Number of faults of the store that were drawn.
	 */
	private int faults;

	private HistoryPicture(History history) {
		this.history = new IndexedHistory(history,
				new Bounds(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO));
		this.begin = history.events().isEmpty() ? 0 : history.events().get(0).time();
		this.scale = (double) WIDTH / Math.max(1, history.endTime() - this.begin);
		for (String process : this.history.processes()) {
			this.history.operations()
				.stream()
				.filter((operation) -> operation.process.equals(process))
				.map(HistoryPicture::lane)
				.distinct()
				.sorted()
				.forEach((lane) -> this.lanes.put(lane, this.lanes.size()));
		}
	}

	/**
	 * Draw a history.
	 * @param history the history
	 * @return an SVG document
	 */
	public static String draw(History history) {
		return new HistoryPicture(history).draw();
	}

	private String draw() {
		int bottom = TOP + this.lanes.size() * LANE;
		this.elements.add("<rect width='100%' height='100%' fill='#fff'/>");
		this.history.disturbances().all().forEach(this::drawDisturbance);
		this.lanes.forEach((name, lane) -> text(4, TOP + lane * LANE + LANE - 4, "#000", name));
		drawSeconds(bottom);
		this.history.operations().forEach(this::drawOperation);
		drawLegend();
		return "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='11'>\n"
			.formatted(LEFT + WIDTH + 40, bottom + 20) + String.join("\n", this.elements) + "\n</svg>\n";
	}

	private void drawDisturbance(Disturbance disturbance) {
		String name = (disturbance.kind() != null) ? disturbance.kind().name() : "PAUSED OR ENDED";
		boolean global = disturbance.process() == null;
		this.lanes.forEach((lane, index) -> {
			if (!global && lane.startsWith(disturbance.process() + " ")) {
				rectangle(disturbance.from(), disturbance.to(), TOP + index * LANE, LANE, ENDED_COLOR, name);
			}
		});
		if (global) {
			rectangle(disturbance.from(), disturbance.to(), TOP, this.lanes.size() * LANE, FAULT_COLOR, name);
			int row = this.faults++ % NAME_ROWS;
			text(x(disturbance.from()), TOP - 4 - row * 13, "#c00", name.toLowerCase(Locale.ROOT).replace('_', ' '));
		}
	}

	/**
	 * Draw a line for each second, or for each of ten equal parts of a long history.
	 */
	private void drawSeconds(int bottom) {
		long end = this.history.endTime() - this.begin;
		long step = Math.max(1, end / 10_000_000_000L) * 1_000_000_000L;
		for (long time = 0; time <= end; time += step) {
			double x = x(this.begin + time);
			this.elements
				.add("<path d='M%s %dV%d' stroke='#000' stroke-opacity='0.15'/>".formatted(number(x), TOP, bottom));
			text(x, bottom + 14, "#000", time / 1_000_000 + " ms");
		}
	}

	private void drawLegend() {
		int x = 4;
		for (Map.Entry<String, Integer> key : this.hues.entrySet()) {
			x = legend(x, color(key.getValue(), false), LANE - 4, key.getKey());
		}
		x = legend(x, "#777", 2, "waits");
		x = legend(x, "#777", LANE - 4, "holds");
		x = legend(x, "#bbb", LANE - 4, "holds, shared");
		x = legend(x, FAULT_COLOR, LANE, "fault of the store");
		x = legend(x, ENDED_COLOR, LANE, "process paused or ended");
		text(x, 16, "#c00", "×");
		text(x + 12, 16, "#000", "loss told");
	}

	private int legend(int x, String color, int height, String name) {
		this.elements
			.add("<rect x='%d' y='%d' width='20' height='%d' fill='%s'/>".formatted(x, 12 - height / 2, height, color));
		text(x + 24, 16, "#000", name);
		return x + 40 + 6 * name.length();
	}

	private void text(double x, int y, String color, String text) {
		this.elements.add("<text x='%s' y='%d' fill='%s'>%s</text>".formatted(number(x), y, color, escape(text)));
	}

	private static String color(int hue, boolean shared) {
		return "hsl(%d,70%%,%d%%)".formatted(hue, shared ? 70 : 45);
	}

	private void drawOperation(Operation operation) {
		int y = TOP + this.lanes.getOrDefault(lane(operation), 0) * LANE;
		String title = operation + " " + operation.request.mode() + " " + operation.request.keys();
		int hue = this.hues.computeIfAbsent(operation.request.keys().get(0), (key) -> this.hues.size() * 137 % 360);
		String color = color(hue, operation.request.mode() == Mode.READ);
		rectangle(this.history.time(operation.requested), time(operation.answered, operation), y + LANE / 2 - 1, 2,
				color, title + " waits");
		if (operation.granted >= 0) {
			int end = (operation.endBegun() < Integer.MAX_VALUE) ? operation.endBegun() : -1;
			rectangle(this.history.time(operation.granted), time(end, operation), y + 2, LANE - 4, color,
					title + " token " + operation.token);
		}
		if (operation.lossTold >= 0) {
			text(x(this.history.time(operation.lossTold)) - 3, y + LANE - 4, "#c00", "×");
		}
	}

	/**
	 * Return the time of a line, or if it is not there, the end of the process or the
	 * history.
	 */
	private long time(int line, Operation operation) {
		int end = this.history.disturbances().endAfter(operation.process, operation.requested);
		if (line >= 0 && line < end) {
			return this.history.time(line);
		}
		return (end < Integer.MAX_VALUE) ? this.history.time(end) : this.history.endTime();
	}

	private void rectangle(long from, long to, int y, int height, String color, String title) {
		this.elements.add("<rect x='%s' y='%d' width='%s' height='%d' fill='%s'><title>%s</title></rect>".formatted(
				number(x(from)), y, number(Math.max(1, (to - from) * this.scale)), height, color, escape(title)));
	}

	private static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
	}

	private static String lane(Operation operation) {
		return operation.process + " " + operation.worker;
	}

	private double x(long time) {
		return LEFT + (time - this.begin) * this.scale;
	}

	private static String number(double number) {
		return String.format(Locale.ROOT, "%.1f", number);
	}

}
